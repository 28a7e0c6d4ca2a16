/** How much there is to parse in a text, as far as a look at its tokens tells. */
export interface Extent {
  /** Words, numbers and signs. What is in quotes and comments counts nothing. */
  tokens: number;
  /** How deep it nests: brackets, CASE, NOT in front of an operand (`NOT NOT x`), lambdas (`x -> y -> z`); or the longest chain of members (`a.b.c`). */
  depth: number;
}

const TOKEN = /[\p{L}\p{N}_$]+|->|[^\s\p{L}\p{N}_$]/gu;
const NAME = /^[\p{L}\p{N}_$]/u;
const OPENING: ReadonlySet<string> = new Set(["(", "[", "{"]);
const CLOSING: ReadonlySet<string> = new Set([")", "]", "}"]);

/** The brackets and CASEs that are open, with their levels: one each, those of each NOT in front, and of the lambdas that have begun in it. */
class Open {
  depth = 0;
  private readonly stack: { levels: number; isCase: boolean }[] = [{ levels: 0, isCase: false }];

  open(prefixes: number, isCase: boolean): void {
    this.stack.push({ levels: 0, isCase });
    this.add(1 + prefixes);
  }

  add(levels: number): void {
    this.stack.at(-1)!.levels += levels;
    this.depth += levels;
  }

  /** A bracket ends the CASEs in it, too; an END ends a CASE alone, and is else a name. */
  close(isCase: boolean): void {
    while (this.stack.length > 1 && (!isCase || this.stack.at(-1)!.isCase)) {
      const closed = this.stack.pop()!;
      this.depth -= closed.levels;
      if (closed.isCase === isCase) return;
    }
  }
}

/**
 * The extent of a text without quotes and comments (`skeletonOf`), in time linear to its length. The parser's time grows with the square of
 * the depth, and at each depth with the tokens.
 */
export function extentOf(skeleton: string): Extent {
  let [tokens, deepest, prefixes, members] = [0, 0, 0, 0];
  const open = new Open();
  let wasName = false;
  for (const [token] of skeleton.matchAll(TOKEN)) {
    tokens++;
    const word = token.toLowerCase();
    const isMember = members > 0 && !wasName;
    if (OPENING.has(word)) open.open(prefixes, false);
    else if (CLOSING.has(word)) open.close(false);
    else if (word === "->") open.add(1);
    else if (word === "case" && !isMember) open.open(prefixes, true);
    else if (word === "end" && !isMember) open.close(true);
    prefixes = word === "not" ? prefixes + 1 : 0;
    // A chain goes on with a dot behind a name, and a name behind a dot.
    const isName = NAME.test(word);
    if (word === ".") members++;
    else if (!isName || wasName) members = 0;
    wasName = isName;
    deepest = Math.max(deepest, open.depth + prefixes, members);
  }
  return { tokens, depth: deepest };
}
