import type { QueryAnswer } from "../../api/query.ts";
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

export interface PathGraph {
  steps: PathStep[];
  links: { source: number; target: number; edge: Edge }[];
}

export const edgesOf = ({ results }: QueryAnswer): Edge[] => (results ?? []) as Edge[];

/** The steps of all edges, from the left to the right, and the edges between them. */
export function graphOf(node: PathsNode, answer: QueryAnswer): PathGraph {
  const steps = new Map<string, PathStep>();
  const stepOf = (key: string): PathStep => {
    const known = steps.get(key);
    if (known !== undefined) return known;
    const { layer, item } = readKey(key);
    const step = {
      key,
      layer,
      item,
      label: labelOf(item, node.pathsFilter?.showFullUrls === true),
      came: 0,
      wentOn: 0,
    };
    steps.set(key, step);
    return step;
  };
  const edges = edgesOf(answer);
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

/** An address by its path; other steps as they are. */
export function labelOf(item: string, isFull: boolean): string {
  if (item === "") return "(none)";
  if (isFull || !URL_START.test(item)) return item;
  const path = item.replace(URL_START, "");
  return path === "" ? "/" : path;
}
