//! `lkesim sweep`: one field or two over several values.

use super::many::{self, Varied};
use crate::args::many::Sweep as Args;
use crate::{Failure, Terminal, catalogue, input, runner};
use lkesim_compare::{FIGURES, Sweeping};
use lkesim_explore::Grid;
use lkesim_report::compared;

/// Runs the command.
pub fn sweep(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    let varied: Vec<Varied> = args.vary.iter().map(|text| Varied::parse("--vary", text)).collect::<Result<_, _>>()?;
    many::without_design(&args.set, "--design")?;
    let pareto = pareto(&args.pareto)?;
    let places = combinations(&varied)?;
    many::once_from_input(args.scenario.as_slice(), &args.file, places.len())?;
    let (mut scenarios, mut values, mut own) = (Vec::new(), Vec::new(), None);
    for places in &places {
        let sets = varied.iter().zip(places).map(|(field, place)| field.set(*place));
        let sets: Vec<String> = args.set.iter().cloned().chain(sets).collect();
        let (scenario, files, designs) = (args.scenario.as_deref(), &args.file, &args.design);
        let wanted = input::Wanted { scenario, files, sets: &sets, designs, strict: false };
        let loaded = input::read(&wanted, terminal)?;
        own = own.or_else(|| loaded.scenario.design.clone());
        scenarios.push((loaded.name, loaded.scenario));
        values.push(varied.iter().zip(places).map(|(field, place)| field.values[*place].clone()).collect());
    }
    many::no_seed_twice(args.many.start_seed, args.many.seeds)?;
    let names = input::design_names(&args.design, own.as_ref());
    let name = scenarios.first().map_or_else(String::new, |(name, _)| name.clone());
    let grid = Grid {
        scenarios,
        designs: many::designs("--design", &names)?,
        start_seed: args.many.start_seed,
        seeds: args.many.seeds,
        jobs: runner::jobs(args.many.jobs.map(usize::from)),
    };
    let mut sweeping = Sweeping {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        scenario: name,
        start_seed: args.many.start_seed,
        fields: varied.into_iter().map(|field| field.path).collect(),
        values,
        designs: names,
        pareto,
        smallest_effect_ppm: args.many.smallest_effect,
        samples: Vec::new(),
    };
    let interrupted = many::run(&grid, terminal, &mut |spot, sample| sweeping.add(spot.scenario, spot.design, sample))?;
    let swept = sweeping.finish();
    many::report(&swept, || compared::swept(&swept), &args.many, terminal)?;
    Ok(many::code(interrupted))
}

/// Every combination of the places of values.
fn combinations(varied: &[Varied]) -> Result<Vec<Vec<usize>>, Failure> {
    match varied {
        [one] => Ok((0..one.values.len()).map(|place| vec![place]).collect()),
        [one, other] if one.path != other.path => {
            let pairs =
                (0..one.values.len()).flat_map(|place| (0..other.values.len()).map(move |two| vec![place, two]));
            Ok(pairs.collect())
        }
        [one, _] => Err(Failure::Usage(format!("--vary names `{}` twice; expected two fields", one.path))),
        _ => Err(Failure::Usage(format!("--vary is there {} times; expected one field or two", varied.len()))),
    }
}

fn pareto(names: &[String]) -> Result<[String; 2], Failure> {
    for name in names {
        if !FIGURES.iter().any(|figure| figure.name == name) {
            let known = FIGURES.iter().map(|figure| figure.name);
            let near = catalogue::did_you_mean(name, known.clone());
            let help =
                if near.is_empty() { format!("; there is {}", known.collect::<Vec<_>>().join(", ")) } else { near };
            return Err(Failure::Usage(format!("--pareto: there is no figure `{name}`{help}")));
        }
    }
    match names {
        [one, other] if one != other => Ok([one.clone(), other.clone()]),
        _ => Err(Failure::Usage("--pareto wants two figures, such as ready_p99,unclaimed_usd".to_owned())),
    }
}
