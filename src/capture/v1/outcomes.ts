import { type Turns, UUID_BYTES } from "../../types/mod.ts";
import { type BatchV1, REFUSALS, TAKEN } from "../payload/v1Batch.ts";

const OK = JSON.stringify({ result: "ok" });
const NOBODY = JSON.stringify({ result: "warning", details: "person_processing_disabled" });
const RETRY = JSON.stringify({ result: "retry", details: "not_persisted" });
/** After so many events the clock is looked at. */
const LOOK_EVENTS = 1024;

/** The result of each event of a batch, and the answer with them. */
export class Outcomes {
  /** By event: a place in `texts`. */
  private readonly of: Uint8Array;
  private readonly texts: string[] = [OK, NOBODY];
  /** By place among those that are taken: the place among all. */
  private readonly taken: Int32Array;

  constructor(private readonly batch: BatchV1) {
    const { refusals } = batch;
    this.of = new Uint8Array(refusals.length);
    this.taken = new Int32Array(refusals.length);
    let taken = 0;
    for (let i = 0; i < refusals.length; i++) {
      if (refusals[i] === TAKEN) this.taken[taken++] = i;
      else this.of[i] = this.dropped(REFUSALS[refusals[i]!]!.details);
    }
  }

  /** `index` is that among the events that are taken. */
  setNobody(index: number): void {
    this.of[this.taken[index]!] = this.texts.indexOf(NOBODY);
  }

  setDropped(index: number, details: string): void {
    this.of[this.taken[index]!] = this.dropped(details);
  }

  private dropped(details: string): number {
    const text = JSON.stringify({ result: "drop", details });
    const known = this.texts.indexOf(text);
    return known >= 0 ? known : this.texts.push(text) - 1;
  }

  /**
   * `{results: {<uuid>: {result, details?}}}` as text. Unless it is certain that all is stored, what was not dropped is to be
   * sent again: it has its uuid, so that it counts once.
   */
  async print(isStored: boolean, turns: Turns): Promise<string> {
    const { uuids, refusals } = this.batch;
    const texts = this.texts.map((text) => (isStored || text.includes('"drop"') ? text : RETRY));
    const parts: string[] = [];
    let part = "";
    for (let i = 0; i < refusals.length; i++) {
      if (i % LOOK_EVENTS === 0) {
        parts.push(part);
        part = "";
        if (turns.isOver) await turns.next();
      }
      const uuid = uuids.toString("latin1", i * UUID_BYTES, (i + 1) * UUID_BYTES);
      part += `${i === 0 ? "" : ","}"${uuid}":${texts[this.of[i]!]!}`;
    }
    return `{"results":{${parts.join("")}${part}}}`;
  }
}
