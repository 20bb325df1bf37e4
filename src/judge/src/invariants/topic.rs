//! Kinds of changes, as sets: most events concern few invariants, and a request concerns none.

use crate::event::What;
use crate::truth::Fact;

/// A set of kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topics(u32);

impl Topics {
    /// No change.
    pub const NONE: Topics = Topics(0);
    /// A LKE pool was made.
    pub const POOL_CREATED: Topics = Topics(1);
    /// A LKE pool's count changed.
    pub const POOL_COUNT: Topics = Topics(1 << 1);
    /// A LKE pool's tags changed.
    pub const POOL_TAGS: Topics = Topics(1 << 2);
    /// A Linode was made, or a LKE pool is gone.
    pub const CLOUD: Topics = Topics(1 << 3);
    /// A Linode's tags changed.
    pub const TAGS: Topics = Topics(1 << 4);
    /// A Linode is gone.
    pub const INSTANCE_DELETED: Topics = Topics(1 << 5);
    /// A NodeClaim was made.
    pub const CLAIM_CREATED: Topics = Topics(1 << 6);
    /// A NodeClaim got its deletionTimestamp.
    pub const CLAIM_DELETING: Topics = Topics(1 << 7);
    /// A NodeClaim is gone.
    pub const CLAIM_GONE: Topics = Topics(1 << 8);
    /// A stored providerID changed.
    pub const PROVIDER_ID: Topics = Topics(1 << 9);
    /// A condition changed.
    pub const CONDITION: Topics = Topics(1 << 10);
    /// An operation returned.
    pub const RETURNED: Topics = Topics(1 << 11);
    /// A NodeClaim began or ceased to hold a Linode.
    pub const HOLDING: Topics = Topics(1 << 12);
    /// A raise of a count was accepted and changed none.
    pub const SCALE_LOST: Topics = Topics(1 << 13);

    /// A process died.
    pub const PROCESS_STOPPED: Topics = Topics(1 << 14);

    /// Something happened to a pod.
    pub const POD: Topics = Topics(1 << 15);
    /// A Node's deletion was asked for.
    pub const NODE_DELETION: Topics = Topics(1 << 16);
    /// What a NodeClaim's machine has became known.
    pub const CAPACITY: Topics = Topics(1 << 17);
    /// An operation began.
    pub const STARTED: Topics = Topics(1 << 18);

    /// Both sets together.
    pub const fn and(self, other: Topics) -> Topics {
        Topics(self.0 | other.0)
    }

    /// Whether the sets share a topic.
    #[inline]
    pub const fn meets(self, other: Topics) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether no topic is in it.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The topics of an event and of what else it changed.
    #[inline]
    pub fn of(what: &What, facts: &[Fact]) -> Topics {
        let own = match what {
            What::PoolCreated { .. } => Topics::POOL_CREATED,
            What::PoolCountChanged { .. } => Topics::POOL_COUNT,
            What::PoolTagged { .. } => Topics::POOL_TAGS,
            What::PoolDeleted { .. } | What::InstanceCreated { .. } => Topics::CLOUD,
            What::InstanceTagged { .. } => Topics::TAGS,
            What::InstanceDeleted { .. } => Topics::INSTANCE_DELETED,
            What::ClaimCreated { .. } => Topics::CLAIM_CREATED,
            What::ClaimDeleting { .. } => Topics::CLAIM_DELETING,
            What::ClaimGone { .. } => Topics::CLAIM_GONE,
            What::ClaimProviderId { .. } => Topics::PROVIDER_ID,
            What::ClaimCondition { .. } => Topics::CONDITION,
            What::OperationReturned { .. } => Topics::RETURNED,
            What::ProcessStopped { .. } => Topics::PROCESS_STOPPED,
            What::Pod { .. } => Topics::POD,
            What::NodeDeletionAsked { .. } => Topics::NODE_DELETION,
            What::ClaimCapacity { .. } => Topics::CAPACITY,
            What::OperationStarted { .. } => Topics::STARTED,
            What::ProcessStarted { .. }
            | What::ProcessTurned { .. }
            | What::StartedWith { .. }
            | What::CalmBegan
            | What::Called { .. }
            | What::Answered { .. }
            | What::InstanceBooted { .. }
            | What::Node { .. }
            | What::Pass { .. }
            | What::NodePoolLimits { .. } => Topics::NONE,
        };
        facts.iter().fold(own, |topics, fact| {
            topics.and(match fact {
                Fact::Held { .. } | Fact::Released { .. } => Topics::HOLDING,
                Fact::ScaleLost { .. } => Topics::SCALE_LOST,
            })
        })
    }
}
