//! Which taints pods put up with, and which a node is expected to lose (core v1.9.0 `pkg/scheduling/taints.go`).

use lkesim_kube::object::{Taint, TaintEffect, Toleration, labels};

/// The taints that none of the tolerations covers.
pub fn not_tolerated<'a>(taints: &'a [Taint], tolerations: &[Toleration]) -> Vec<&'a Taint> {
    let covered = |taint: &&Taint| !tolerations.iter().any(|toleration| toleration.tolerates(taint));
    taints.iter().filter(covered).collect()
}

/// Whether each taint is covered.
pub fn tolerates(taints: &[Taint], tolerations: &[Toleration]) -> bool {
    taints.iter().all(|taint| tolerations.iter().any(|toleration| toleration.tolerates(taint)))
}

/// Karpenter's sentence on taints that are not tolerated.
pub fn refusal(taints: &[&Taint]) -> String {
    let text = |taint: &&Taint| format!("did not tolerate taint (taint={})", shown(taint));
    taints.iter().map(text).collect::<Vec<_>>().join("; ")
}

fn shown(taint: &Taint) -> String {
    match taint.value.as_deref().unwrap_or("") {
        "" => format!("{}:{}", taint.key, taint.effect.name()),
        value => format!("{}={value}:{}", taint.key, taint.effect.name()),
    }
}

/// Whether a node loses the taint while it is initialized, so that a node of Karpenter's that is not is taken to be
/// without it.
pub fn is_ephemeral(taint: &Taint) -> bool {
    const KNOWN: [(&str, TaintEffect); 5] = [
        (labels::NOT_READY_TAINT, TaintEffect::NoSchedule),
        (labels::NOT_READY_TAINT, TaintEffect::NoExecute),
        (labels::UNREACHABLE_TAINT, TaintEffect::NoSchedule),
        (labels::EXTERNAL_CLOUD_PROVIDER_TAINT, TaintEffect::NoSchedule),
        (labels::UNREGISTERED_TAINT, TaintEffect::NoExecute),
    ];
    KNOWN.iter().any(|(key, effect)| taint.matches(key, *effect))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_taint_that_is_not_tolerated_is_told() {
        let taints = [
            Taint { key: "team".into(), value: Some("a".into()), effect: TaintEffect::NoSchedule },
            Taint::new("gpu", TaintEffect::NoExecute),
            Taint::new("soft", TaintEffect::PreferNoSchedule),
        ];
        let left = not_tolerated(&taints, &[Toleration::of_key("soft")]);
        let expected = "did not tolerate taint (taint=team=a:NoSchedule); did not tolerate taint (taint=gpu:NoExecute)";
        assert_eq!(refusal(&left), expected);
    }

    #[test]
    fn ephemeral_taints_go_by_key_and_effect() {
        assert!(is_ephemeral(&Taint::new(labels::UNREGISTERED_TAINT, TaintEffect::NoExecute)));
        assert!(!is_ephemeral(&Taint::new(labels::UNREGISTERED_TAINT, TaintEffect::NoSchedule)));
    }
}
