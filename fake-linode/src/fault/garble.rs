//! Carries a call out and answers with success and a body that breaks off: the client has an error without the API's
//! status, and can't know what was done. Bodies of refusals that can't be read are refusals, see [`Body`](super::Body).

use super::Effect;

pub(super) const fn effect() -> Effect {
    Effect::Unreadable("the body breaks off")
}
