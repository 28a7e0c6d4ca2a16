import type { PlantedViolation } from "../plant.ts";

/** What a front does wrong. */
export const FRONT_PLANTS: readonly PlantedViolation[] = [
  {
    rule: 2,
    what: "a front publishes to streams that are not the known ones",
    plant: { front: { trustsStreams: true } },
  },
  { rule: 3, what: "frame ids come again after a restart of the front", plant: { front: { reusesIds: true } } },
  {
    rule: 4,
    what: "later frames go before one that was not acknowledged",
    plant: { front: { sendsLaterFirst: true } },
  },
  {
    rule: 4,
    what: "a request goes on after one of its frames was given up",
    plant: { front: { goesOnAfterFailure: true } },
  },
  { rule: 6, what: "a merging event does not wait for its copy", plant: { front: { mergesLast: true } } },
  { rule: 6, what: "a merge does not wait for what comes before it", plant: { front: { takesNoTurns: true } } },
  { rule: 8, what: "frames are purged before they are settled", plant: { front: { purgesEverything: true } } },
  { rule: 11, what: "files are unlinked while they are written", plant: { front: { collectsPending: true } } },
];
