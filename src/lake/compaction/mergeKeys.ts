import { KeyFile, type KeyGroup } from "../duplicates/mod.ts";
import type { OutputPlan } from "./outputs.ts";

/**
 * The duplicate keys of one output: those of the inputs that fall into it, each so many times less as `erased` says (what
 * was deleted may have come again).
 */
export function mergeKeys(
  inputs: readonly KeyFile[],
  plan: OutputPlan,
  erased: ReadonlyMap<bigint, number>,
): { keys: KeyFile; equalKeys: number } {
  const teamIds = new Set(plan.teamIds);
  const parts = new Map<number, Map<number, BigUint64Array[]>>();
  for (const input of inputs) {
    for (const { teamId, day, keys } of input.groups()) {
      if (!teamIds.has(teamId) || day < plan.fromDay || day > plan.toDay) continue;
      const days = parts.getOrInsertComputed(teamId, () => new Map());
      days.getOrInsertComputed(day, () => []).push(keys);
    }
  }
  const groups: KeyGroup[] = [];
  let equalKeys = 0;
  for (const [teamId, days] of parts) {
    for (const [day, lists] of days) {
      const keys = without(concat(lists).sort(), erased);
      for (let i = 1; i < keys.length; i++) if (keys[i] === keys[i - 1]) equalKeys++;
      groups.push({ teamId, day, keys });
    }
  }
  return { keys: KeyFile.of(groups), equalKeys };
}

function without(sorted: BigUint64Array<ArrayBuffer>, erased: ReadonlyMap<bigint, number>) {
  if (erased.size === 0) return sorted;
  let nth = 0;
  return sorted.filter((key, i) => {
    nth = i > 0 && sorted[i - 1] === key ? nth + 1 : 0;
    return nth >= (erased.get(key) ?? 0);
  });
}

function concat(lists: readonly BigUint64Array[]): BigUint64Array<ArrayBuffer> {
  const all = new BigUint64Array(lists.reduce((sum, list) => sum + list.length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}
