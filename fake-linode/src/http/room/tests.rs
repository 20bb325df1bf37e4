use super::{Came, Room, take};
use http_body_util::Full;
use hyper::body::Bytes;

fn taken(bytes: usize, most: usize, room: &Room) -> Came {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(take(Full::new(Bytes::from(vec![b'x'; bytes])), most, room))
}

#[test]
fn what_one_body_takes_another_lacks_until_it_is_dropped() {
    let room = Room::of(100);
    let Came::Whole(body, share) = taken(80, 90, &room) else { panic!("there is room") };
    assert_eq!(body.len(), 80);
    assert!(matches!(taken(30, 90, &room), Came::Lost));
    assert!(matches!(taken(20, 90, &room), Came::Whole(..)));
    assert!(matches!(taken(91, 90, &room), Came::TooLarge));
    drop(share);
    assert!(matches!(taken(90, 90, &room), Came::Whole(..)));
}
