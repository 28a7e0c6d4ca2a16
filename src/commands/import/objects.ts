import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import type { ObjectsReport, Source, State, WeirClient } from "../../import/mod.ts";

interface Bringing {
  source: Source<unknown>;
  options: unknown;
  state: State;
  /** Whether the folder of the state is one that was named for this import. */
  isNamed: boolean;
  weir: WeirClient;
  signal: AbortSignal;
}

/** Brings what is no row, where the source has it. What became of which is remembered beside the folder of the import, or in it. */
export function importObjects({
  source,
  options,
  state,
  isNamed,
  weir,
  signal,
}: Bringing): Promise<ObjectsReport | null> {
  if (source.objects === undefined) return Promise.resolve(null);
  const { url, key, project } = weir.address;
  const history = createHash("sha256")
    .update(`${source.originOf(options)} ${url} ${project}`)
    .digest("hex");
  const knownPath = join(isNamed ? state.folder : dirname(state.folder), `objects-${history.slice(0, 16)}.json`);
  return source.objects(options, { to: { url, key, project: String(project) }, knownPath, signal });
}

/** What became of objects, for people. */
export function objectsText({ counts, notes }: ObjectsReport): string {
  const kinds = Object.entries(counts).map(([kind, of]) => {
    const parts = Object.entries(of).map(([outcome, number]) => `${number} ${outcome.replace("_", " ")}`);
    return `  ${kind.replace("_", " ")}: ${parts.join(", ")}`;
  });
  const told = notes.map(({ kind, id, name, outcome, reason }) => {
    return `  ${outcome.replace("_", " ")}: ${kind.replace("_", " ")}${id === null ? "" : ` ${id}`} "${name}": ${reason}`;
  });
  return ["Objects:", ...kinds, ...told].join("\n");
}
