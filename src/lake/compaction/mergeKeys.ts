import { KeyFile, type KeyGroup } from "../duplicates/keyFile.ts";
import type { OutputPlan } from "./planner.ts";

/** The duplicate keys of one output: those of the inputs that fall into it. */
export function mergeKeys(inputs: readonly KeyFile[], plan: OutputPlan): { keys: KeyFile; equalKeys: number } {
  const teamIds = new Set(plan.teamIds);
  const parts = new Map<number, Map<number, BigUint64Array[]>>();
  for (const input of inputs) {
    for (const { teamId, day, keys } of input.groups()) {
      if (!teamIds.has(teamId) || day < plan.fromDay || day > plan.toDay) continue;
      const days = parts.get(teamId) ?? new Map<number, BigUint64Array[]>();
      parts.set(teamId, days);
      const list = days.get(day);
      if (list === undefined) days.set(day, [keys]);
      else list.push(keys);
    }
  }
  const groups: KeyGroup[] = [];
  let equalKeys = 0;
  for (const [teamId, days] of parts) {
    for (const [day, lists] of days) {
      const keys = concat(lists).sort();
      for (let i = 1; i < keys.length; i++) if (keys[i] === keys[i - 1]) equalKeys++;
      groups.push({ teamId, day, keys });
    }
  }
  return { keys: KeyFile.of(groups), equalKeys };
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
