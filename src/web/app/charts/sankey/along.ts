export interface FlowLink {
  source: number;
  target: number;
  value: number;
}

/** Nodes and links that a way leads over. */
export interface Lit {
  nodes: ReadonlySet<number>;
  links: ReadonlySet<number>;
}

/** All that leads to a node or a link, and all that it leads to. */
export function along(links: readonly FlowLink[], start: { node: number } | { link: number }): Lit {
  const lit = { nodes: new Set<number>(), links: new Set<number>() };
  const [from, to] =
    "node" in start ? [start.node, start.node] : [links[start.link]!.source, links[start.link]!.target];
  if ("link" in start) lit.links.add(start.link);
  follow(links, from, "target", "source", lit);
  follow(links, to, "source", "target", lit);
  return lit;
}

function follow(
  links: readonly FlowLink[],
  start: number,
  end: "source" | "target",
  other: "source" | "target",
  lit: { nodes: Set<number>; links: Set<number> },
): void {
  const seen = new Set([start]);
  const open = [start];
  lit.nodes.add(start);
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const [index, link] of links.entries()) {
      if (link[end] !== node) continue;
      lit.links.add(index);
      lit.nodes.add(link[other]);
      if (!seen.has(link[other])) {
        seen.add(link[other]);
        open.push(link[other]);
      }
    }
  }
}
