import { describe, expect, test } from "bun:test";

/** Lists of expressions, each with what they give. */
export type Table = [string, unknown[]][];

/** A test for each list. */
export function testFunctions(rows: (query: string) => Promise<unknown>, tables: [string, Table][]): void {
  describe.each(tables)("%s", (_, table) => {
    test.each(table)("%s", async (list, expected) => {
      expect(await rows(`select ${list}`)).toEqual([expected]);
    });
  });
}
