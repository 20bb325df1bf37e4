//! Carries a call out twice, as when a proxy before the API loses the first answer and sends the request again.
//!
//! The API has no key by which it could know a repeated request ("conventions" of Linode's API pages), so that a
//! repeated POST makes a second object. The client gets the second answer: of a DELETE that is 404.

use super::Effect;

pub(super) const fn effect() -> Effect {
    Effect::Twice
}
