import { isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";

/** A cohort or an action that is looked for. */
export interface Mentioned {
  kind: "cohort" | "action";
  id: number;
  name: string | null;
}

/** Whether a node, filters or steps name it; in HogQL it is judged by the words. */
export function mentions(json: Json, wanted: Mentioned): boolean {
  const inText = textTest(wanted);
  const isIt = (value: Json | undefined): boolean =>
    Array.isArray(value) ? value.some(isIt) : value !== null && value !== "" && Number(value) === wanted.id;
  const names = wanted.kind === "cohort" ? cohortsOf : actionsOf;
  const look = (one: Json): boolean => {
    if (typeof one === "string") return inText(one);
    if (Array.isArray(one)) return one.some(look);
    if (!isJsonObject(one)) return false;
    return names(one).some(isIt) || Object.values(one).some(look);
  };
  return look(json);
}

type Named = (Json | undefined)[];

function cohortsOf({ type, value, property, breakdown, breakdown_type: breakdownType }: JsonObject): Named {
  const named: Named = type === "cohort" ? [value, property] : [];
  return breakdownType === "cohort" ? [...named, breakdown] : named;
}

function actionsOf(node: JsonObject): Named {
  const { kind, type, id, key, actionId } = node;
  return [
    ...(kind === "ActionsNode" || type === "actions" ? [id] : []),
    ...(node.event_type === "actions" ? [key] : []),
    ...(node.seq_event_type === "actions" ? [node.seq_event] : []),
    actionId,
  ].filter((one) => one !== undefined);
}

/** `IN COHORT 2`, `IN COHORT 'name'`, `matchesAction(2)`. */
function textTest({ kind, id, name }: Mentioned): (text: string) => boolean {
  const word = kind === "cohort" ? /\bcohort\s*\(?\s*$/i : /\bmatchesAction\s*\(\s*$/i;
  const forms = [String(id), ...(name ? [`'${name.replaceAll("'", "\\'")}'`, `'${name.replaceAll("'", "''")}'`] : [])];
  const isOpenNumber = (text: string, end: number) => /[\d.]/.test(text.charAt(end));
  return (text) =>
    forms.some((form) => {
      for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1)) {
        if (word.test(text.slice(0, at)) && !isOpenNumber(text, at + form.length)) return true;
      }
      return false;
    });
}
