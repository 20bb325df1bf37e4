use super::*;
use proptest::prelude::*;

static BUDGETS: [Budget; 3] = [
    Budget::line(Operation::Create, None, Endpoint::ListPools, "one an attempt", |work| work.attempts)
        .fewer("an attempt may end before it")
        .over("a page may be asked for twice"),
    Budget::line(Operation::Create, None, Endpoint::CreatePool, "one", |work| work.runs).or(Endpoint::UpdatePool),
    Budget::line(Operation::List, None, Endpoint::ListInstances, "one", |work| work.runs),
];

fn lines() -> Lines {
    let limit = super::super::ClassLimit { count: None, window: std::time::Duration::from_secs(60) };
    Lines::new(&FiguresSettings {
        budgets: &BUDGETS,
        tier: lkesim_linode_api::Tier::Standard,
        limit_per_call: false,
        limits: [limit; 3],
        price: Box::new(|_| lkesim_linode_api::PlanPrice { hourly_micro_usd: 0, monthly_micro_usd: 0 }),
        duration: std::time::Duration::ZERO,
        calm: std::time::Duration::ZERO,
        client: "karpenter".into(),
        has_pods: true,
    })
}

/// Runs of Create with so many attempts, and these calls each; gives the rows.
fn rows(runs: &[(u64, &[(Endpoint, u32)])]) -> Vec<BudgetRow> {
    let mut lines = lines();
    let (mut total, mut first) = (Work::default(), [0; Endpoint::PROVIDER.len()]);
    for (attempts, calls) in runs {
        let mut counts = [0; Endpoint::PROVIDER.len()];
        for (endpoint, n) in *calls {
            counts[*endpoint as usize] += n;
            first[*endpoint as usize] += n;
        }
        lines.ended(Operation::Create, &Work { runs: 1, attempts: *attempts, ..Work::default() }, &counts);
        total.runs += 1;
        total.attempts += attempts;
    }
    let nothing = Work::default();
    let again = [0; Endpoint::PROVIDER.len()];
    lines.rows(|operation| match operation {
        Operation::Create => Totals { work: &total, first, again },
        _ => Totals { work: &nothing, first: again, again },
    })
}

fn row<'a>(rows: &'a [BudgetRow], call: &str) -> &'a BudgetRow {
    rows.iter().find(|row| row.call == call).unwrap_or_else(|| panic!("no row {call}: {rows:?}"))
}

#[test]
fn each_run_is_laid_beside_what_its_own_work_allows() {
    let rows = rows(&[
        (1, &[(Endpoint::ListPools, 1)]),
        (5, &[(Endpoint::ListPools, 5), (Endpoint::UpdatePool, 1)]),
        (2, &[(Endpoint::ListPools, 3), (Endpoint::CreatePool, 1), (Endpoint::UpdatePool, 1)]),
    ]);
    let pools = row(&rows, "ListLKENodePools");
    assert_eq!((pools.calls, pools.budget, pools.runs_over), (9, Some(8), 1));
    assert_eq!(pools.a_run, Spread { min: 1, median: 3, max: 5 });
    assert_eq!(pools.allowed_a_run, Some(Spread { min: 1, median: 2, max: 5 }));
    assert_eq!(pools.difference.as_deref(), Some("over in 1 of 3 runs: a page may be asked for twice"));
    let either = row(&rows, "CreateLKENodePool or UpdateLKENodePool");
    assert_eq!((either.calls, either.budget, either.runs_over), (3, Some(3), 1), "one run made both");
    assert_eq!(either.a_run, Spread { min: 0, median: 1, max: 2 });
}

#[test]
fn fewer_calls_and_calls_without_a_line_are_explained_and_equal_ones_are_not() {
    let rows = rows(&[(3, &[(Endpoint::ListPools, 1), (Endpoint::GetPool, 1), (Endpoint::UpdatePool, 1)]), (0, &[])]);
    assert_eq!(row(&rows, "ListLKENodePools").difference.as_deref(), Some("2 fewer: an attempt may end before it"));
    let unnamed = row(&rows, "GetLKENodePool");
    assert_eq!((unnamed.budget, unnamed.stated.clone(), unnamed.runs_over), (None, None, 0));
    assert_eq!(unnamed.difference.as_deref(), Some("the document names no such call"));
    assert_eq!(unnamed.a_run, Spread { min: 0, median: 0, max: 1 });
    assert!(rows.iter().all(|row| row.operation == "Create"), "List did not run");
}

proptest! {
    /// Against the plain way: all runs in a list, sorted.
    #[test]
    fn spreads_are_those_of_the_sorted_runs(runs in prop::collection::vec((0u64..4, 0u32..4), 1..20)) {
        let calls: Vec<[(Endpoint, u32); 1]> = runs.iter().map(|(_, n)| [(Endpoint::ListPools, *n)]).collect();
        let told: Vec<(u64, &[(Endpoint, u32)])> =
            runs.iter().zip(&calls).map(|((attempts, _), calls)| (*attempts, &calls[..])).collect();
        let rows = rows(&told);
        let mut made: Vec<u64> = runs.iter().map(|(_, n)| u64::from(*n)).collect();
        made.sort_unstable();
        let median = made[made.len().div_ceil(2) - 1];
        let pools = row(&rows, "ListLKENodePools");
        prop_assert_eq!(pools.a_run, Spread { min: made[0], median, max: made[made.len() - 1] });
        let over = runs.iter().filter(|(allowed, n)| u64::from(*n) > *allowed).count() as u64;
        prop_assert_eq!(pools.runs_over, over);
    }
}
