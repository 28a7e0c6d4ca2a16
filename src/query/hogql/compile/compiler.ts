import type { QueryContext } from "../../source/context.ts";
import { compileNode } from "./expressions.ts";
import type { Compilation, Compiler } from "./scope.ts";
import { compileSelect } from "./select.ts";
import { compileSet } from "./sets.ts";
import { orByWalk } from "./walks.ts";

const COMPILER: Compiler = {
  expression: compileNode,
  query: (node, compilation, ctes, top) => {
    if (node.node === "SelectSetQuery") return compileSet(node, compilation, ctes, top);
    const plain = compileSelect(node, compilation, ctes, top);
    return node.instead === undefined ? plain : orByWalk(plain, node.instead, compilation);
  },
};

/** What the compilation of one statement begins with. */
export function newCompilation(
  context: QueryContext,
  placeholders: Compilation["placeholders"] = new Map(),
): Compilation {
  let aliases = 0;
  return { context, placeholders, cohorts: [], open: [], bounds: [], nextAlias: () => aliases++, compiler: COMPILER };
}
