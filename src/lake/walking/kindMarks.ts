import type { Journey } from "../journeys/mod.ts";
import { type EventKind, keyOf, kindsOf } from "./eventKinds.ts";
import type { Mark } from "./places.ts";
import type { NameMarks } from "./statement.ts";

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

/** The marks of the kinds in journeys, by `keyOf`; of those that are not read there is none. */
export function knownNames(files: readonly Journey[], { named, others }: NameMarks): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>();
  const told = new Map(named.map((one) => [keyOf(one), one.mark]));
  const markOf = (kind: EventKind) => {
    const own = told.get(keyOf(kind));
    return own === undefined ? others.find(({ isPersonless }) => isPersonless === kind.isPersonless)?.mark : own;
  };
  for (const kind of files.flatMap(kindsOf)) {
    const mark = markOf(kind);
    if (mark != null) marks.set(keyOf(kind), { ...mark, value: 0 });
  }
  return marks;
}
