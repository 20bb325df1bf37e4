//! Points that no other point beats in two figures at once.

use crate::document::{Front, Point};
use crate::figure::{Better, FIGURES, place};

/// The front of two figures. Less is better where the figure says so.
pub fn front(points: &[Point], figures: [&str; 2]) -> Front {
    let cost = |point: &Point, figure: &str| {
        let mean = point.measured.figures.get(figure).map_or(0, |measured| measured.mean.0);
        match place(figure).map(|place| FIGURES[place].better) {
            Some(Better::Higher) => -mean,
            _ => mean,
        }
    };
    let costs: Vec<(i64, i64)> =
        points.iter().map(|point| (cost(point, figures[0]), cost(point, figures[1]))).collect();
    let beats = |one: (i64, i64), other: (i64, i64)| one.0 <= other.0 && one.1 <= other.1 && one != other;
    let unbeaten = |place: &usize| !costs.iter().any(|&other| beats(other, costs[*place]));
    let mut front: Vec<usize> = (0..points.len()).filter(unbeaten).collect();
    front.sort_by_key(|&place| (costs[place], place));
    Front { figures: figures.map(str::to_owned), points: front }
}
