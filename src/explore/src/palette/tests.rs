use super::{First, Palette, Twist};
use lkesim_lke::DESIGNS;
use lkesim_scenario::{Names, builtin, load, to_yaml};

/// The names that a scenario of the program may use.
fn check(scenario: &lkesim_scenario::Scenario, what: &str) {
    let types: Vec<&str> = fake_linode::Catalogue::recorded().types().iter().map(|plan| &*plan.id).collect();
    let names = Names { types: &types, ..Names::default() };
    let text = to_yaml(scenario);
    let again =
        load("drawn", &text, &[], &names).unwrap_or_else(|mistakes| panic!("{what}\n{}", mistakes.render(false)));
    assert_eq!(&again, scenario, "{what}: {text}");
}

#[test]
fn every_scenario_of_general_is_valid_and_survives_its_yaml() {
    for seed in 0..3_000 {
        let drawn = Palette::General.draw(seed, DESIGNS[seed as usize % DESIGNS.len()]);
        check(&drawn.scenario, &format!("seed {seed}"));
    }
}

#[test]
fn one_seed_in_eight_has_pods_and_all_others_draw_what_they_would_without() {
    let mut of_pods = 0;
    for seed in 0..4_000 {
        let design = DESIGNS[seed as usize % DESIGNS.len()];
        let drawn = Palette::General.draw(seed, design).scenario;
        assert_eq!(drawn.has_pods(), super::pods::are_drawn(seed), "seed {seed}: {}", to_yaml(&drawn));
        match drawn.has_pods() {
            true => of_pods += 1,
            false => assert_eq!(drawn, Palette::WithoutPods.draw(seed, design).scenario, "seed {seed}"),
        }
    }
    assert!((450..550).contains(&of_pods), "{of_pods} of 4,000 seeds have pods");
}

/// Of four pods that come one after the other, each on a machine that joins after twelve minutes, the last is not ready after
/// forty.
#[test]
fn the_calm_is_long_enough_for_pods_that_come_one_after_the_other() {
    let calm = |seed| Palette::General.draw(seed, DESIGNS[0]).scenario.calm;
    assert_eq!(calm(1), lkesim_scenario::Span::mins(40));
    assert!(calm(504_751) >= lkesim_scenario::Span::mins(4 * 12 + 16), "{:?}", calm(504_751));
}

#[test]
fn every_scenario_around_a_built_in_one_is_valid() {
    let read = |found: &builtin::Builtin| {
        (found.name.to_owned(), load(found.name, found.text, &[], &Names::default()).expect("it is valid"))
    };
    let scenarios: Vec<_> = builtin::all().iter().map(read).filter(|(_, scenario)| scenario.design.is_none()).collect();
    let palette = Palette::Around(scenarios.into());
    for seed in 0..1_000 {
        let drawn = palette.draw(seed, DESIGNS[0]);
        check(&drawn.scenario, &format!("seed {seed} of {}", drawn.name));
    }
}

#[test]
fn a_twisted_scenario_is_valid_and_differs_in_its_lags_alone() {
    let twists = [
        Twist { stretch: Some(10), first: None },
        Twist { stretch: None, first: Some(First::Members) },
        Twist { stretch: Some(3), first: Some(First::List) },
    ];
    for seed in 0..600 {
        let twist = twists[seed as usize % twists.len()];
        let (plain, twisted) = (Palette::General, Palette::General.twisted(twist));
        assert_ne!(plain.hash(), twisted.hash());
        let (plain, mut drawn) = (plain.draw(seed, DESIGNS[0]).scenario, twisted.draw(seed, DESIGNS[0]).scenario);
        check(&drawn, &format!("seed {seed}, {twist}"));
        let (lags, own) = (drawn.lags(), plain.lags());
        // Where there are pods, no machine is slower than Karpenter waits.
        if !plain.has_pods() {
            assert_eq!(lags.boot.max(), own.boot.max() * twist.stretch.unwrap_or(1), "seed {seed}, {twist}");
        }
        match twist.first {
            None => assert_eq!(lags.members.min(), own.members.min() * 10),
            Some(First::Members) => assert!(lags.members.max() < lags.instance_list.min()),
            Some(First::List) => assert!(lags.instance_list.max() < lags.members.min()),
        }
        (drawn.cloud.lags, drawn.calm) = (plain.cloud.lags.clone(), plain.calm);
        drawn.karpenter.registration_timeout = plain.karpenter.registration_timeout;
        drawn.karpenter.launch_timeout = plain.karpenter.launch_timeout;
        assert_eq!(drawn, plain);
    }
}

#[test]
fn what_is_declared_is_a_hard_case() {
    for case in super::general::HARD_CASES.iter().chain(super::general::HARD_CASES_OF_PODS) {
        assert!(lkesim_judge::figures::HARD_CASES.iter().any(|(_, name, _)| name == case), "{case}");
    }
}
