import { describeError, type JsonObject, parseUuid } from "../../types/mod.ts";
import { Fields } from "../fields.ts";
import type { Row } from "../reading/mod.ts";
import { type First, type ImportedEvent, type ImportedPerson, RowRejected, type Stage } from "../types.ts";

const DAY_MS = 86_400_000;
/** The Weir takes later times for those of arrival, and arrival is no function of a row. */
const AHEAD_MAX_MS = 20 * 3_600_000;
const YEAR_1_MS = Date.parse("0001-01-01T00:00:00Z");
const YEAR_10000_MS = Date.UTC(10_000, 0, 1);
/** What the Weir takes, with room for what is added to an event. */
const EVENT_MAX_UNITS = 990_000;

/** What became of a row. */
export type Outcome =
  | { kind: "event"; event: ImportedEvent; atMs: number; firsts: readonly First[]; isNumbered: boolean }
  | { kind: "firsts"; firsts: readonly First[] }
  | { kind: "person"; person: ImportedPerson }
  | { kind: "left out"; reason: string }
  | { kind: "rejected"; rejected: RowRejected };

/** UTC days since 1970. */
export const dayOfMs = (ms: number): number => Math.floor(ms / DAY_MS);

/** Times, in epoch milliseconds; the end is not part of it. */
export interface Between {
  fromMs: number | null;
  toMs: number | null;
}

/** Judges rows: maps them, and checks what comes out. */
export class Judge {
  /** The fields of the row that was judged last; null where it could not be read. */
  fields: Fields | null = null;
  private readonly latestMs = Date.now() + AHEAD_MAX_MS;

  constructor(
    private readonly options: unknown,
    private readonly between: Between,
  ) {}

  judge(stage: Stage<unknown>, row: Row): Outcome {
    this.fields = null;
    try {
      this.fields = new Fields(row.value());
      return this.outcomeOf(stage.map(this.fields, this.options));
    } catch (error) {
      if (error instanceof RowRejected) return { kind: "rejected", rejected: error };
      // A row that no one thought of must not end the import.
      return { kind: "rejected", rejected: new RowRejected("unreadable", describeError(error)) };
    }
  }

  private outcomeOf(mapped: ReturnType<Stage<unknown>["map"]>): Outcome {
    if ("leftOut" in mapped) return { kind: "left out", reason: mapped.leftOut };
    if ("person" in mapped) return { kind: "person", person: mapped.person };
    const firsts = mapped.firsts ?? [];
    for (const { atMs } of firsts) this.checkTime(atMs);
    if (!("event" in mapped)) {
      const inside = firsts.filter(({ atMs }) => this.isInside(atMs));
      return inside.length < firsts.length && inside.length === 0 ? OUTSIDE : { kind: "firsts", firsts: inside };
    }
    const { event } = mapped;
    const atMs = Date.parse(event.timestamp);
    this.checkTime(atMs);
    checkEvent(event);
    if (!this.isInside(atMs)) return OUTSIDE;
    return { kind: "event", event, atMs, firsts, isNumbered: mapped.isNumbered !== false };
  }

  private checkTime(ms: number): void {
    if (Number.isNaN(ms)) throw new RowRejected("bad_time", "The time cannot be read.");
    if (ms < YEAR_1_MS || ms >= YEAR_10000_MS)
      throw new RowRejected("bad_time", "The time is outside of the years 1 to 9999.");
    if (ms > this.latestMs) throw new RowRejected("bad_time", "The time is in the future.");
  }

  private isInside(ms: number): boolean {
    const { fromMs, toMs } = this.between;
    return (fromMs === null || ms >= fromMs) && (toMs === null || ms < toMs);
  }
}

const OUTSIDE: Outcome = { kind: "left out", reason: "outside of --from and --to" };

function checkEvent({ uuid, event, distinct_id }: ImportedEvent): void {
  if (event.trim() === "") throw new RowRejected("no_event", "The event has no name.");
  if (distinct_id.trim() === "") throw new RowRejected("no_id", "There is no distinct_id.");
  if (parseUuid(uuid) !== uuid) throw new RowRejected("bad_id", `"${uuid}" is no uuid.`);
}

/** Throws RowRejected for the JSON of an event that the Weir does not store. */
export function checkSize(json: string): void {
  if (json.length > EVENT_MAX_UNITS) throw new RowRejected("too_large", "The event is larger than 1 MB.");
}

/** The event with the mark of its import. */
export function marked(event: ImportedEvent, importId: string): ImportedEvent {
  const properties: JsonObject = event.properties;
  properties.$import_id = importId;
  return event;
}
