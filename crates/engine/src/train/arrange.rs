//! Finds the trains of a network before it runs: behind which links they form, and where they are
//! answered.

use std::collections::HashMap;

use sojourn_base::length::Capacity;
use sojourn_base::{Span, Time};

use super::{Track, Train};
use crate::LinkId;
use crate::link::{Behind, FedBy, Link};

/// Finds the trains of packets that travel along `paths`, which are those of all flows, there and
/// back in turn. Behind each link that hands over only to plain links which do not hand over
/// themselves, there is one train for each kind of these links. Returns also the tracks of all
/// links, if there is any train.
pub(crate) fn arrange(links: &mut [Link], paths: &[&[LinkId]]) -> (Vec<Train>, Vec<Track>) {
    let mut paces = vec![Vec::new(); links.len()];
    let mut has_trains = vec![true; links.len()];
    let pairs = paths.iter().flat_map(|path| path.windows(2));
    let pairs = pairs.map(|pair| (pair[0] as usize, pair[1] as usize));
    for (feeder, next) in pairs.clone() {
        let (paces, pace) = (&mut paces[feeder], links[next].spec.pace());
        if paces.len() <= MOST_TRAINS && !paces.contains(&pace) {
            paces.push(pace);
        }
        has_trains[feeder] &= may_be_of_a_train(&links[next]) && paces.len() <= MOST_TRAINS;
    }
    let mut trains = Vec::new();
    let mut numbers = HashMap::new();
    let mut tracks = vec![Track::NONE; links.len()];
    let mut is_last = vec![true; links.len()];
    for (before, _) in pairs.clone() {
        is_last[before] = false;
    }
    for (feeder, next) in pairs.filter(|&(feeder, _)| has_trains[feeder]) {
        let pace = links[next].spec.pace();
        let number = *numbers.entry((feeder, pace)).or_insert_with(|| {
            links[feeder].feed_trains();
            trains.push(Train::behind(
                feeder,
                &links[feeder].spec,
                &links[next].spec,
            ));
            trains.len() - 1
        });
        let train = &mut trains[number];
        train.bypass = train.bypass.min(links[next].bypass());
        train.room = train.room.min(room(&links[next]));
        train.ends_paths &= is_last[next];
        if tracks[next].train.is_none() {
            train.not_apart += 1;
        }
        tracks[next] = Track {
            train: Some(number as u32),
            free_at: Time::ZERO,
            ..Track::NONE
        };
    }
    if trains.is_empty() {
        tracks.clear();
    }
    find_own(&mut tracks, paths);
    find_answered(&mut trains, &tracks, links, paths);
    (trains, tracks)
}

/// Finds the tracks of links that only one flow uses, as the last link of its path, where it also
/// is the only one to use the first link of the answers.
fn find_own(tracks: &mut [Track], paths: &[&[LinkId]]) {
    let mut users = vec![0_u32; tracks.len()];
    for &link in paths.iter().copied().flatten() {
        if let Some(users) = users.get_mut(link as usize) {
            *users += 1;
        }
    }
    for ways in paths.chunks_exact(2) {
        for (way, answer) in [(ways[0], ways[1]), (ways[1], ways[0])] {
            let (Some(&last), Some(&first)) = (way.last(), answer.first()) else {
                continue;
            };
            if let Some(track) = tracks.get_mut(last as usize) {
                let are_own = users[last as usize] == 1 && users[first as usize] == 1;
                track.is_own = are_own && track.train().is_some();
            }
        }
    }
}

/// A link at which all packets arrive after the first links of their paths, in answer to one train:
/// so it is often known in advance which packet arrives there next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answered {
    pub(crate) link: LinkId,
    /// A packet arrives at the link later than this span after it is sent.
    pub(crate) after: Span,
}

/// Finds the links at which trains are answered.
fn find_answered(trains: &mut [Train], tracks: &[Track], links: &[Link], paths: &[&[LinkId]]) {
    let ways = || {
        let pairs = paths.chunks_exact(2);
        pairs.flat_map(|pair| [(pair[0], pair[1]), (pair[1], pair[0])])
    };
    let train_to = |path: &[LinkId]| tracks.get(*path.last()? as usize)?.train();
    // By link: which train it answers, and how long what comes is under way at least.
    let mut answers = vec![None; links.len()];
    let mut may = vec![true; links.len()];
    for (heard, answer) in ways() {
        for (place, &link) in answer.iter().enumerate() {
            let id = link as usize;
            let first = &links[answer[0] as usize];
            let train = train_to(heard);
            let (known, after) = *answers[id].get_or_insert((train, first.spec.delay));
            answers[id] = Some((known, after.min(first.spec.delay)));
            may[id] &= place == 1
                && first.behind != Behind::Wire
                && first.room_at_source().is_some()
                && train == known
                && train.is_some_and(|train| trains[train].feeder != link)
                && links[id].takes_in_order();
        }
    }
    let mut are_all = vec![true; trains.len()];
    for (heard, answer) in ways() {
        let Some(number) = train_to(heard) else {
            continue;
        };
        let answered = answer.get(1).and_then(|&link| {
            let (_, after) = answers[link as usize].filter(|_| may[link as usize])?;
            Some(Answered { link, after })
        });
        let train = &mut trains[number];
        let is_same = train.answered.is_none() || train.answered == answered;
        are_all[number] &= train.ends_paths && answered.is_some() && is_same;
        train.answered = answered;
    }
    for (train, are_all) in trains.iter_mut().zip(are_all) {
        train.answered = train.answered.filter(|_| are_all);
    }
}

/// The largest number of trains behind one link: with more, their calendar would be as long as that
/// of the links.
const MOST_TRAINS: usize = 32;

/// How many packets of any size have room in a plain queue; zero if the queue is so short that it
/// would often be full.
fn room(link: &Link) -> usize {
    let room = match link.room {
        Some(Capacity::Packets(limit)) => limit as usize,
        Some(Capacity::Bytes(limit)) => limit as usize / usize::from(u16::MAX),
        Some(Capacity::Unlimited) => usize::MAX,
        None => 0,
    };
    if room < LEAST_ROOM { 0 } else { room }
}

/// With less room than this, no packet waits in a train.
const LEAST_ROOM: usize = 16;

/// Whether all packets that arrive here are handed over, in order, and leave with an event.
fn may_be_of_a_train(link: &Link) -> bool {
    let is_plain = link.keeps_queue() && link.has_plain_wire();
    link.fed_by == FedBy::One && is_plain && !link.hands_over
}
