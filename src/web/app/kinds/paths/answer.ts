import type { QueryAnswer } from "../../api/node.ts";
import { eventLabel } from "../../question/names.ts";
import type { PathsNode } from "./node.ts";

/** How often one step follows the other. */
export interface Edge {
  /** A place and the step there: "1_/". */
  source: string;
  target: string;
  value: number;
  /** Milliseconds. */
  average_conversion_time: number;
}

export interface PathStep {
  key: string;
  /** From 0. */
  layer: number;
  /** The step itself, without its place. */
  item: string;
  label: string;
  /** In how many of the shown edges it comes behind another step, and in how many another one behind it. */
  came: number;
  wentOn: number;
}

interface PathGraph {
  steps: PathStep[];
  links: { source: number; target: number; edge: Edge }[];
}

export const edgesOf = ({ results }: QueryAnswer): Edge[] => (results ?? []) as Edge[];

/** The steps of all edges, from the left to the right, and the edges between them. */
export function graphOf(node: PathsNode, answer: QueryAnswer): PathGraph {
  const edges = edgesOf(answer);
  const isFull = node.pathsFilter?.showFullUrls === true || areOfSeveralSites(edges);
  const steps = new Map<string, PathStep>();
  const stepOf = (key: string): PathStep => {
    const known = steps.get(key);
    if (known !== undefined) return known;
    const { layer, item } = readKey(key);
    const step = {
      key,
      layer,
      item,
      label: labelOf(item, isFull),
      came: 0,
      wentOn: 0,
    };
    steps.set(key, step);
    return step;
  };
  for (const { source, target, value } of edges) {
    stepOf(source).wentOn += value;
    stepOf(target).came += value;
  }
  const all = [...steps.values()].sort((a, b) => a.layer - b.layer);
  const places = new Map(all.map(({ key }, i) => [key, i]));
  const links = edges.map((edge) => ({
    source: places.get(edge.source)!,
    target: places.get(edge.target)!,
    edge,
  }));
  return { steps: all, links };
}

function readKey(key: string): { layer: number; item: string } {
  const [, place = "1", item = key] = /^(\d+)_(.*)$/s.exec(key) ?? [];
  return { layer: Number(place) - 1, item };
}

const URL_START = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** Whether paths alone would not tell addresses apart. */
function areOfSeveralSites(edges: readonly Edge[]): boolean {
  const items = edges.flatMap(({ source, target }) => [source, target]).map((key) => readKey(key).item);
  return new Set(items.flatMap((item) => URL_START.exec(item)?.[0] ?? [])).size > 1;
}

/** An address by its path, an event by its name. */
export function labelOf(item: string, isFull: boolean): string {
  if (item === "") return "(none)";
  if (isFull || !URL_START.test(item)) return eventLabel(item);
  const path = item.replace(URL_START, "");
  return path === "" ? "/" : path;
}
