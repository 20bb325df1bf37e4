//! A write that is tried again at once where it fails (client-go's `retry.OnError` with its default backoff).

use lkesim_kube::ApiError;
use lkesim_runtime::Runtime;
use std::time::Duration;

/// The pauses between tries. Upstream makes each up to a tenth longer by chance.
const PAUSES: [Duration; 3] = [Duration::from_millis(10), Duration::from_millis(50), Duration::from_millis(250)];

/// Tries up to four times. That the object is gone is no failure that another try would mend.
pub async fn persist(runtime: &Runtime, attempt: impl AsyncFn() -> Result<(), ApiError>) -> Result<(), ApiError> {
    for pause in PAUSES {
        match attempt().await {
            Err(error) if !error.is_not_found() => runtime.sleep(pause).await,
            result => return result,
        }
    }
    attempt().await
}
