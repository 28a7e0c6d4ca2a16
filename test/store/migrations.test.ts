import { expect, test } from "bun:test";
import { CATALOG_MIGRATIONS } from "../../src/lake/mod.ts";
import { RECORD_MIGRATIONS } from "../../src/metadata/mod.ts";
import { MIGRATIONS } from "../../src/schema.ts";

const numbersOf = (migrations: readonly { name: string }[]) =>
  migrations.map(({ name }) => Number(/^(\d{3})_[a-z_]+$/.exec(name)?.[1]));

test("steps of the schema have a number each, and every list has them in their order", () => {
  for (const migrations of [CATALOG_MIGRATIONS, RECORD_MIGRATIONS, MIGRATIONS]) {
    const numbers = numbersOf(migrations);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(numbers).not.toContain(Number.NaN);
  }
});
