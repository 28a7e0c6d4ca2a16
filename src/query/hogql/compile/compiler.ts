import type { QueryContext } from "../../source/context.ts";
import { compileNode } from "./expressions.ts";
import type { Compilation, Compiler } from "./scope.ts";
import { compileSelect } from "./select.ts";
import { compileSet } from "./sets.ts";

const COMPILER: Compiler = {
  expression: compileNode,
  query: (node, compilation, ctes, top) =>
    node.node === "SelectQuery"
      ? compileSelect(node, compilation, ctes, top)
      : compileSet(node, compilation, ctes, top),
};

/** What the compilation of one statement begins with. */
export function newCompilation(
  context: QueryContext,
  placeholders: Compilation["placeholders"] = new Map(),
): Compilation {
  let aliases = 0;
  return { context, placeholders, cohorts: [], open: [], bounds: [], nextAlias: () => aliases++, compiler: COMPILER };
}
