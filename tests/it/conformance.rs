//! Our designs against what the real provider did, as it was recorded: the half of the differential test that needs no
//! Go. `tests/conformance/karpenter-provider-linode/run` drives the real provider anew.

use crate::support::root;
use lkesim_tests::conformance::case::DESIGNS;
use lkesim_tests::conformance::cases;
use lkesim_tests::conformance::compare::{FOLDER, hold, recorded, release_of};
use std::collections::BTreeSet;

#[test]
fn designs_make_the_calls_that_the_real_provider_made() {
    let folder = root().join(FOLDER);
    for design in DESIGNS {
        let records = folder.join("recorded").join(release_of(design));
        let report = hold(&folder, design, "", |job| recorded(&records, &job.id())).expect("the cases can be read");
        assert!(report.wrong.is_empty(), "{design}:\n{}", report.wrong.join("\n"));
        assert!(report.equal.len() >= 60, "{design}: {} cases are equal", report.equal.len());
    }
}

#[test]
fn each_record_is_of_a_case() {
    let folder = root().join(FOLDER);
    let jobs = cases(&folder.join("cases")).expect("the cases can be read");
    for design in DESIGNS {
        let wanted: BTreeSet<String> =
            jobs.iter().filter(|job| job.is_for(design)).map(|job| format!("{}.json", job.id())).collect();
        let records = folder.join("recorded").join(release_of(design));
        let listed = std::fs::read_dir(&records).expect("records are there");
        let found: BTreeSet<String> = listed
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .filter(|name| name.ends_with(".json"))
            .collect();
        assert_eq!(found, wanted, "{design}: `run --record` makes what is missing");
        assert!(records.join("VERSIONS").is_file(), "{design}: a record tells of which versions it is");
    }
}

#[test]
fn each_case_says_what_it_shows() {
    let jobs = cases(&root().join(FOLDER).join("cases")).expect("the cases can be read");
    for job in &jobs {
        assert!(job.case.about.trim_end().ends_with('.'), "{}: `about` is a sentence", job.id());
        assert!(!job.case.steps.is_empty(), "{}: a case has steps", job.id());
        assert!(!job.name.starts_with("error-") || job.has_faults(), "{}: an error has faults", job.id());
    }
    let names: BTreeSet<&str> = jobs.iter().map(|job| &*job.name).collect();
    assert!(names.len() >= 60, "{} case files", names.len());
}
