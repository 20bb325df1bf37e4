//! From a built-in scenario, or a YAML text, to a run's outcome.

use lkesim_judge::figures::HARD_CASES;
use lkesim_judge::invariants::INVARIANTS;
use lkesim_judge::outcome::{InvariantOutcome, Outcome};
use lkesim_judge::trace::{Header, Trace};
use lkesim_lke::{DESIGNS, Design};
use lkesim_report::style::Style;
use lkesim_runtime::Seed;
use lkesim_scenario::{Names, Scenario, builtin};
use lkesim_sim::{Order, Plan, Ran, Request, Simulator};
use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, Cursor, Write};
use std::path::PathBuf;
use std::rc::Rc;

/// The folder of the workspace.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The text of a file of the workspace.
#[track_caller]
pub fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The design of this name.
#[track_caller]
pub fn design(name: &str) -> &'static Design {
    lkesim_lke::design(name).unwrap_or_else(|| panic!("no design {name}"))
}

/// A run to be made.
#[derive(Clone)]
pub struct Run {
    name: String,
    text: String,
    sets: Vec<String>,
    design: &'static Design,
    seed: u64,
    order: Order,
}

impl Run {
    /// A built-in scenario as it is written, under `documented` unless it names a design, with seed 1.
    #[track_caller]
    pub fn builtin(name: &str) -> Run {
        let found = builtin::find(name).unwrap_or_else(|| panic!("no scenario {name}"));
        Run::yaml(name, found.text)
    }

    /// The same for a text.
    #[track_caller]
    pub fn yaml(name: &str, text: &str) -> Run {
        let mut run = Run {
            name: name.to_owned(),
            text: text.to_owned(),
            sets: Vec::new(),
            design: DESIGNS[0],
            seed: 1,
            order: Order::Fifo,
        };
        if let Some(name) = run.scenario().design {
            run.design = design(&name);
        }
        run
    }

    pub fn set(mut self, set: impl Into<String>) -> Run {
        self.sets.push(set.into());
        self
    }

    pub fn design(self, design: &'static Design) -> Run {
        Run { design, ..self }
    }

    pub fn seed(self, seed: u64) -> Run {
        Run { seed, ..self }
    }

    pub fn order(self, order: Order) -> Run {
        Run { order, ..self }
    }

    /// The scenario, checked, with the overrides in it.
    #[track_caller]
    pub fn scenario(&self) -> Scenario {
        let designs: Vec<_> = DESIGNS.iter().map(|design| design.facts.name).collect();
        let invariants: Vec<_> = INVARIANTS.iter().map(|invariant| invariant.name).collect();
        let sometimes: Vec<_> = HARD_CASES.iter().map(|(_, name, _)| *name).collect();
        let names = Names { designs: &designs, invariants: &invariants, sometimes: &sometimes, ..Names::default() };
        lkesim_scenario::load(&self.name, &self.text, &self.sets, &names)
            .unwrap_or_else(|mistakes| panic!("{}", mistakes.render(false)))
    }

    /// What the simulator is asked.
    #[track_caller]
    pub fn request(&self) -> Request {
        Request {
            plan: Rc::new(Plan::new(&self.scenario())),
            name: self.name.clone(),
            design: self.design,
            seed: Seed(self.seed),
            order: self.order.clone(),
            as_written: self.sets.is_empty() && self.seed == 1,
        }
    }

    /// Runs, without a trace.
    #[track_caller]
    pub fn ran(&self) -> Ran {
        Simulator::new().run(&self.request(), None).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Runs, and gives the outcome.
    #[track_caller]
    pub fn outcome(&self) -> Outcome {
        self.ran().outcome
    }

    /// Runs in this simulator, and gives the outcome and the trace's bytes.
    #[track_caller]
    pub fn traced_in(&self, simulator: &mut Simulator) -> (Outcome, Vec<u8>) {
        let memory = Memory::default();
        let scenario = serde_json::to_value(self.scenario()).expect("a scenario is JSON");
        let header = Header::new(&self.name, self.design.facts.name, self.seed, scenario);
        let ran = simulator
            .run(&self.request(), Some((Box::new(memory.clone()), header)))
            .unwrap_or_else(|error| panic!("{}: {error}", self.name));
        (ran.outcome, memory.0.take())
    }

    /// Runs, and gives the outcome and the trace.
    #[track_caller]
    pub fn traced(&self) -> (Outcome, Trace) {
        let (outcome, bytes) = self.traced_in(&mut Simulator::new());
        let trace = Trace::read(&self.name, &bytes[..]).expect("a whole trace");
        (outcome, trace)
    }
}

/// What became of an invariant.
#[track_caller]
pub fn invariant<'a>(outcome: &'a Outcome, name: &str) -> &'a InvariantOutcome {
    let found = outcome.invariants.iter().find(|found| found.name == name);
    found.unwrap_or_else(|| panic!("no invariant {name}"))
}

/// The names of the invariants that broke.
pub fn broken(outcome: &Outcome) -> Vec<&str> {
    let broken = outcome.invariants.iter().filter(|found| !found.held);
    broken.map(|found| found.name.as_str()).collect()
}

/// A figure of the outcome, by its path, in its unit.
#[track_caller]
pub fn figure(outcome: &Outcome, path: &str) -> i64 {
    let document = serde_json::to_value(outcome).expect("an outcome is JSON");
    let found = lkesim_judge::expect::figure(&document, path);
    found.unwrap_or_else(|| panic!("no figure {path}")).0 / 1_000_000
}

/// Calls the program, and gives its exit code, standard output and standard error.
pub fn lkesim(args: &[&str]) -> (u8, String, String) {
    let (out, err) = (Memory::default(), Memory::default());
    let mut terminal = lkesim::Terminal {
        input: Box::new(Cursor::new(Vec::new())),
        out: lkesim::Out::new(out.clone()),
        style: Style::PLAIN,
        err: lkesim::Out::new(err.clone()),
        err_style: Style::PLAIN,
    };
    let args = ["lkesim"].iter().chain(args).map(OsString::from);
    let code = lkesim::main_with(args, &mut terminal);
    let text = |memory: Memory| String::from_utf8_lossy(&memory.0.borrow()).into_owned();
    (code, text(out), text(err))
}

/// Memory that a run writes to and its caller reads.
#[derive(Clone, Default)]
struct Memory(Rc<RefCell<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
