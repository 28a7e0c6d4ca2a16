import type { PathsProgram } from "../../src/walk/mod.ts";

/** A row of a walk over paths; item 0 has no name. */
export interface ItemRow {
  actor: number;
  us: number;
  item: number;
  isPoint: boolean;
}

/** `ms`: between the steps, added up. */
export interface Edge {
  place: number;
  before: number;
  item: number;
  value: number;
  ms: number;
}

/** The edges of all paths, from whole lists: rows are in order of time, those of an actor beside each other or not. */
export function naiveEdges(rows: readonly ItemRow[], program: PathsProgram): Edge[] {
  const paths = [...Map.groupBy(rows, ({ actor }) => actor).values()]
    .flatMap((own) => sessions(own, program.pauseMs * 1000))
    .map((session) => shown(steps(session), program));
  const all = paths.flatMap((path) =>
    path
      .slice(1)
      .map(({ item, us }, i) => ({ place: i + 2, before: path[i]!.item, item, ms: (us - path[i]!.us) / 1000 })),
  );
  const alike = Map.groupBy(all, ({ place, before, item }) => `${place} ${before} ${item}`);
  return [...alike.values()].map((edges) => ({
    ...edges[0]!,
    value: edges.length,
    ms: edges.reduce((sum, { ms }) => sum + ms, 0),
  }));
}

function sessions(rows: ItemRow[], pauseUs: number): ItemRow[][] {
  const begins = rows.flatMap((row, i) => (i === 0 || row.us - rows[i - 1]!.us >= pauseUs ? [i] : []));
  return begins.map((from, i) => rows.slice(from, begins[i + 1]));
}

/** Without those that the next one repeats, and nothing without a name at the end. */
const steps = (session: ItemRow[]): ItemRow[] =>
  session.filter(({ item }, i) => (i + 1 < session.length ? session[i + 1]!.item !== item : item !== 0));

function shown(path: ItemRow[], { point, stepLimit }: PathsProgram): ItemRow[] {
  if (point === null) return path.slice(0, stepLimit);
  const at = path.findIndex(({ isPoint }) => isPoint);
  if (at < 0) return [];
  return point === "start" ? path.slice(at, at + stepLimit) : path.slice(0, at + 1).slice(-stepLimit);
}
