//! The files in `examples/ci/`, which users copy: they are what they say, and cut seeds as the program does.

use crate::support::read;
use serde_json::Value;
use std::process::Command;

fn yaml(name: &str) -> Value {
    serde_yaml::from_str(&text(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn text(name: &str) -> String {
    read(&format!("examples/ci/{name}"))
}

/// Whether a shell can read it.
fn is_shell(script: &str) -> bool {
    let child = Command::new("bash").args(["-n", "-c", script]).status().expect("bash is there");
    child.success()
}

#[test]
fn the_workflow_has_a_job_for_each_shard_and_one_that_joins_them() {
    let workflow = yaml("github-actions.yml");
    let shards = workflow["jobs"]["explore"]["strategy"]["matrix"]["shard"].as_array().expect("shards");
    assert!(shards.iter().zip(0..).all(|(shard, index)| shard.as_u64() == Some(index)));
    assert!(text("github-actions.yml").contains(&format!("--shard ${{{{ matrix.shard }}}}/{}", shards.len())));
    assert_eq!(workflow["jobs"]["verdict"]["needs"], "explore");
    let jobs = workflow["jobs"].as_object().expect("jobs");
    let steps = jobs.values().flat_map(|job| job["steps"].as_array().expect("steps"));
    let scripts: Vec<&str> = steps.filter_map(|step| step["run"].as_str()).collect();
    assert!(scripts.iter().all(|script| is_shell(&script.replace("${{", "{").replace("}}", "}"))), "{scripts:?}");
    assert!(!text("github-actions.yml").contains("secrets."));
}

/// Ours runs what `.ci/run` runs, which exists.
#[test]
fn our_own_workflow_runs_all_that_must_hold() {
    let workflow: Value = serde_yaml::from_str(&read(".github/workflows/ci.yml")).expect("it is YAML");
    let runs = |job: &str| {
        let steps = workflow["jobs"][job]["steps"].as_array().expect("steps").iter();
        steps.filter_map(|step| step["run"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(runs("all"), [".ci/run"]);
    assert!(is_shell(&read(".ci/run")));
    let fresh = runs("fresh-seeds");
    assert!(fresh.iter().all(|script| is_shell(&script.replace("${{", "{").replace("}}", "}"))), "{fresh:?}");
}

#[test]
fn the_job_on_kubernetes_has_as_many_completions_as_shards() {
    let job = yaml("kubernetes-indexed-job.yaml");
    assert_eq!((&job["apiVersion"], &job["kind"]), (&"batch/v1".into(), &"Job".into()));
    assert_eq!(job["spec"]["completionMode"], "Indexed");
    let script = job["spec"]["template"]["spec"]["containers"][0]["args"][0].as_str().expect("a script");
    let shard = format!("--shard \"$JOB_COMPLETION_INDEX/{}\"", job["spec"]["completions"]);
    assert!(script.contains(&shard) && is_shell(script), "{script}");
}

#[test]
fn the_array_on_slurm_is_a_script_whose_tasks_count_from_0() {
    let script = text("slurm-array.sh");
    assert!(is_shell(&script) && script.contains("#SBATCH --array=0-"), "{script}");
}

/// What the files call exists.
#[test]
fn the_options_in_the_files_are_the_programs() {
    for name in ["github-actions.yml", "kubernetes-indexed-job.yaml", "slurm-array.sh"] {
        for option in text(name).split_whitespace().filter(|word| word.starts_with("--")) {
            let of_lkesim = ["--design", "--start-seed", "--seeds", "--shard", "--format", "--junit", "--jobs"];
            let of_others = ["--locked", "--path"];
            let is_known = of_lkesim.contains(&option) || of_others.contains(&option);
            assert!(is_known || option.contains('='), "{name}: {option}");
        }
    }
}
