import type { Journey } from "../journeys/mod.ts";
import { keyOf, kindsOf } from "./eventKinds.ts";
import type { Mark } from "./places.ts";

/** What the events of a journey are by their kinds alone, at the places that `Journey.events` holds. */
export interface KindMarks {
  isRead: Uint8Array;
  steps: Int32Array;
  excluded: Int32Array;
  values: Uint32Array;
}

/** `names`: by `keyOf`; others are not read. */
export function kindMarks(journey: Journey, names: ReadonlyMap<string, Mark>): KindMarks {
  const own = kindsOf(journey).map((kind) => names.get(keyOf(kind)));
  return {
    isRead: Uint8Array.from(own, (mark) => (mark === undefined ? 0 : 1)),
    steps: Int32Array.from(own, (mark) => mark?.steps ?? 0),
    excluded: Int32Array.from(own, (mark) => mark?.excluded ?? 0),
    values: Uint32Array.from(own, (mark) => mark?.value ?? 0),
  };
}
