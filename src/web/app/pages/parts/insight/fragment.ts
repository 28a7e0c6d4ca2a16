import type { QueryNode } from "../../../api/node.ts";
import { readNode } from "../../../kinds/readNode.ts";

/** The question in the fragment of an address: `#q=` and JSON, escaped or plain, as PostHog has it; null: none that can be read. */
export function readFragment(hash: string): QueryNode | null {
  const text = /(?:^#?|&)q=([\s\S]*)$/.exec(hash)?.[1];
  if (text === undefined || text === "") return null;
  // Further members may follow an escaped question; a plain one may have an ampersand in it.
  return parse(text) ?? parse(unescaped(text)) ?? parse(unescaped(text.replace(/&[\s\S]*$/, "")));
}

/** The fragment of a question, with the `#`. */
export const writeFragment = (node: QueryNode): string => `#q=${encodeURIComponent(JSON.stringify(node))}`;

function parse(text: string | null): QueryNode | null {
  if (text === null) return null;
  try {
    return readNode(JSON.parse(text));
  } catch {
    return null;
  }
}

function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
