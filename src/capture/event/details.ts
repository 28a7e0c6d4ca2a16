import { cleanText, QUOTE } from "../../json/mod.ts";
import { EVENT } from "../outline/keys.ts";
import type { Members } from "../outline/outline.ts";
import { distinctIdKey } from "./distinctId.ts";

/** Fields that help to find the sender. */
export function detailsOf(event: Members): Record<string, string | null> {
  return {
    event: textOf(event, EVENT.event),
    distinct_id: textOf(event, distinctIdKey(event)),
    uuid: textOf(event, EVENT.uuid),
  };
}

function textOf(event: Members, key: number | undefined): string | null {
  if (key === undefined || !event.isGiven(key)) return null;
  return cleanText(event.typeOf(key) === QUOTE ? event.string(key)! : event.raw(key));
}
