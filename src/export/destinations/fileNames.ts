import { fileEnd } from "../../lake/mod.ts";
import type { OpenDestination, RunRange } from "../model.ts";
import { ownPiece } from "../names.ts";

/** A moment in a name: `2024-01-31T10:00:00.000Z` without what file systems refuse. */
const inName = (ms: number): string => new Date(ms).toISOString().replace(/[:.]/g, "-");

/** What the files of a run have in common in their names: model, interval and a piece of the export's id, so that two exports do not meet. */
export function baseName({ exportId, model, fromMs, toMs }: RunRange): string {
  return `${model}-${fromMs === null ? "beginning" : inName(fromMs)}-${inName(toMs)}-${ownPiece(exportId)}`;
}

/** The name of a part: a function of export, interval and part. */
export function partName(range: RunRange, number: number, form: OpenDestination["format"]): string {
  return `${baseName(range)}-${number}${fileEnd(form)}`;
}

const PART = /-(\d+)\.[a-z.]+$/;

/** Which part of the run a name means; null for a name of something else. */
export function partOf(range: RunRange, name: string): number | null {
  const base = baseName(range);
  if (!name.startsWith(`${base}-`)) return null;
  const match = PART.exec(name.slice(base.length));
  return match === null || match.index !== 0 ? null : Number(match[1]);
}
