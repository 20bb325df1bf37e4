//! Whether a Linode has a live holder, as the truth knows it.
//!
//! The truth tells of holdings that begin and end. A NodeClaim that gets its deletionTimestamp holds its Linode still
//! and is no live holder any more, so that event is followed too.

use super::Figures;
use crate::event::{Event, What};
use crate::truth::{Fact, Truth};
use lkesim_linode_api::InstanceId;
use lkesim_runtime::Time;

impl Figures {
    /// Takes over what an event changed of holdings. The truth has applied the event.
    #[inline]
    pub fn follow(&mut self, event: &Event, truth: &Truth) {
        for fact in truth.facts() {
            if let Fact::Held { instance, .. } | Fact::Released { instance, .. } = *fact {
                self.look_up(event.at, instance, truth);
            }
        }
        if let What::ClaimDeleting { claim, .. } = &event.what
            && let Some(claim) = truth.claim(claim.uid)
        {
            for instance in claim.holdings() {
                self.look_up(event.at, instance, truth);
            }
        }
    }

    fn look_up(&mut self, at: Time, instance: InstanceId, truth: &Truth) {
        let held = truth.live_holders(instance).next().is_some();
        self.holding_changed(at, instance, held);
    }
}
