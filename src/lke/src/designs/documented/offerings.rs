//! The burst of GetType calls that makes offerings anew.
//!
//! Source: design document, "Instance types / offerings": on a cache miss createOfferings can ask GetType within a loop
//! over regions, for each instance type. Creates that miss at once each ask for themselves. Only the calls are made
//! here: prices and availability come from what the refresh learnt.

use crate::cache::TtlCache;
use crate::context::Context;
use crate::instance_types::InstanceTypes;
use crate::run::Run;
use lkesim_linode_api::Cause;
use std::rc::Rc;

/// Which types' offerings are remembered.
pub struct Offerings {
    cx: Rc<Context>,
    known: TtlCache<Rc<str>, ()>,
}

impl Offerings {
    /// None is remembered.
    pub fn new(cx: Rc<Context>) -> Offerings {
        Offerings { known: TtlCache::new(cx.runtime.clone(), cx.settings.types_cache), cx }
    }

    /// Makes the offerings that are not remembered. One that can't be read is left out, and the rest goes on.
    pub async fn renew(&self, run: &Run, types: &InstanceTypes) {
        if self.cx.settings.offering_regions == 0 {
            return;
        }
        for known in types.all().iter().filter(|known| self.known.get(&known.name).is_none()) {
            for _ in 0..self.cx.settings.offering_regions {
                let read = self.cx.api.get_type(&run.purpose(Cause::Offerings), (&*known.name).into()).await;
                if let Err(error) = read {
                    tracing::debug!(plan = &*known.name, %error, "getting Linode type");
                }
            }
            self.known.put(known.name.clone(), ());
        }
    }

    /// A plan was marked: its offerings are made anew.
    pub fn forget(&self, plan: &Rc<str>) {
        self.known.remove(plan);
    }
}
