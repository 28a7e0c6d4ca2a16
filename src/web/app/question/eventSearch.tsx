import { useMemo, useState } from "preact/hooks";
import type { OptionGroup } from "../ui/listbox.tsx";
import { namesOf, PickerTabs, section, sectionsFound, unloaded, useTyped } from "./choices.tsx";
import type { ActionDef, EventDef } from "./definition.ts";
import { joined, useActions, useEvents, useMoreEvents } from "./definitions.ts";
import { eventLabel } from "./names.ts";
import { fold } from "./search.ts";
import { cut, seenText } from "./seen.ts";
import type { EntityNode } from "./types.ts";

/** What is left out of a list of events and actions. */
export interface EntityLists {
  noAny?: boolean;
  noActions?: boolean;
}

/** What a list of events and actions shows: the inside of `SearchList` and `Picker`. */
export function useEventSearch(
  projectId: number,
  value: EntityNode | null,
  isOpenAtFirst = false,
  { noAny = false, noActions = false }: EntityLists = {},
) {
  const { typed, text, setTyped } = useTyped(isOpenAtFirst);
  const [tab, setTab] = useState("all");
  const events = useEvents(projectId);
  const known = useActions(noActions ? null : projectId);
  const actions = known.data?.items ?? NO_ACTIONS;
  const isPartial = events.data?.isComplete === false;
  const more = useMoreEvents(projectId, text, isPartial);
  const all = useMemo(() => joined(events.data?.items ?? [], more.data), [events.data, more.data]);
  const isLoaded = events.data !== undefined || events.error !== undefined;
  const groups = useMemo(
    () => (typed === null ? [] : groupsOf({ text: typed, tab, all, actions, value, isLoaded, noAny })),
    [typed, tab, all, actions, value, isLoaded],
  );
  const tabs = [
    { name: "all", label: "All" },
    { name: "events", label: "Events" },
    { name: "actions", label: "Actions" },
  ];
  return {
    text,
    onText: setTyped,
    onClose: () => {
      setTyped(null);
      setTab("all");
    },
    groups,
    isLoading: (events.isLoading && events.data === undefined) || more.isLoading,
    head: actions.length > 0 && <PickerTabs label="What is listed" tabs={tabs} value={tab} onChange={setTab} />,
    foot: unloaded(projectId, [events, known]),
    nothing: events.error !== undefined && events.data === undefined ? "The events cannot be loaded now." : undefined,
  };
}

interface Listing {
  text: string;
  tab: string;
  all: readonly EventDef[];
  actions: readonly ActionDef[];
  value: EntityNode | null;
  isLoaded: boolean;
  noAny: boolean;
}

const NO_ACTIONS: readonly ActionDef[] = [];

function groupsOf({ text, tab, all, actions, value, isLoaded, noAny }: Listing): OptionGroup<EntityNode>[] {
  const isChosen = (node: EntityNode) => value !== null && sameEntity(node, value);
  const option = (node: EntityNode) => ({ value: node, isChosen: isChosen(node) });
  const events = section("Events", all, (event: EventDef) => {
    return { key: `e:${event.key}`, ...option(eventNode(event.key)), ...namesOf(event), hint: seenText(event) };
  });
  const ofActions = section("Actions", actions, (action: ActionDef) => {
    return { key: `a:${action.key}`, ...option(actionNode(action)), label: cut(action.label), icon: "pin" as const };
  });
  const sections = [...(tab === "actions" ? [] : [events]), ...(tab === "events" ? [] : [ofActions])];
  const groups = sectionsFound<EntityNode>(sections, text);
  const any = noAny ? [] : anyEvent(text, tab, isChosen);
  // Until the events are there, Enter must not mean a name that is only half of one of them.
  const typed = isLoaded ? typedEvent(text, tab, all) : [];
  return [...any, ...groups, ...typed];
}

function anyEvent(text: string, tab: string, isChosen: (node: EntityNode) => boolean): OptionGroup<EntityNode>[] {
  if (tab === "actions" || !fold("All events any").includes(fold(text.trim()))) return [];
  const node = eventNode(null);
  const option = { key: "any", value: node, label: "All events", note: "any name", isChosen: isChosen(node) };
  return [{ label: null, options: [option] }];
}

/** An event may be asked for before it has come. */
function typedEvent(text: string, tab: string, all: readonly EventDef[]): OptionGroup<EntityNode>[] {
  const name = text.trim();
  if (name === "" || tab === "actions" || all.some(({ key }) => key === name)) return [];
  const option = { key: `t:${name}`, value: eventNode(name), label: `“${cut(name)}”`, note: "an event of this name" };
  return [{ label: all.length === 0 ? null : "Another name", options: [option] }];
}

const eventNode = (event: string | null): EntityNode => ({
  kind: "EventsNode",
  event,
  name: event ?? eventLabel(null),
});

const actionNode = ({ id, label }: ActionDef): EntityNode => ({ kind: "ActionsNode", id, name: label });

function sameEntity(a: EntityNode, b: EntityNode): boolean {
  if (a.kind !== b.kind) return false;
  return a.kind === "ActionsNode" ? a.id === b.id : (a.event ?? null) === (b.event ?? null);
}
