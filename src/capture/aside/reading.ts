import { OPEN_ARRAY, OPEN_OBJECT } from "../../json/mod.ts";
import { networkOf, type Turns } from "../../types/mod.ts";
import { TooMuchHere } from "../body/body.ts";
import { SMALL_BYTES } from "../body/byteBudget.ts";
import { expectedBytesOf } from "../body/inflate.ts";
import type { Aside } from "./aside.ts";
import type { JobInput, JobName, JobOutput } from "./jobs.ts";

/** JSON of that size, as sent or inflated, is read on the loop: nothing done to it in one piece takes much longer than a stretch. */
export const HERE_MAX_BYTES = 1280 * 1024;

export interface Reader {
  turns: Turns;
  aside: Aside;
}

/**
 * Reads a body by `here` where it is not larger than that (as sent and inflated) and short, else by the job, in a thread.
 * `owner` as of `Aside.run`. Gives a promise only where it must wait.
 */
export function read<N extends JobName>(
  reader: Reader,
  owner: string,
  body: Buffer,
  hereMaxBytes: number,
  here: () => JobOutput<N>,
  job: { name: N; input: JobInput<N> },
): JobOutput<N> | Promise<JobOutput<N>> {
  const { turns, aside } = reader;
  if (!isShort(body, hereMaxBytes)) return aside.run(owner, job.name, job.input);
  const now = () => {
    try {
      return here();
    } catch (error) {
      if (!(error instanceof TooMuchHere)) throw error;
      return aside.run(owner, job.name, job.input);
    }
  };
  return body.byteLength > SMALL_BYTES && turns.isOver ? turns.next().then(now) : now();
}

/** The owner of a job (see `Aside.run`) while the project is not known yet. */
export function ownerAt(address: string | null): string {
  return `address ${networkOf(address) ?? "unknown"}`;
}

const GZIP = 0x1f;

/** JSON and gzip are read fast; other forms may be long when they are not small. */
function isShort(body: Buffer, maxBytes: number): boolean {
  const first = body[0];
  if (first === GZIP) return body.byteLength <= maxBytes && expectedBytesOf(body, "gzip") <= maxBytes;
  return body.byteLength <= (first === OPEN_OBJECT || first === OPEN_ARRAY ? maxBytes : SMALL_BYTES);
}
