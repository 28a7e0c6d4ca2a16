import { UsageError } from "../../types/mod.ts";

/** For options that belong to another way of bringing rows in, which `way` names. Throws UsageError where one of them is given. */
export function refuseOf(way: string, given: Record<string, unknown>, names: readonly string[]): void {
  const name = names.find((name) => given[name] !== undefined);
  if (name !== undefined) throw new UsageError(`--${name} is for ${way}.`);
}
