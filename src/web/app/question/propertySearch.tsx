import { useMemo, useState } from "preact/hooks";
import { formatShort } from "../format/number.ts";
import type { OptionGroup } from "../ui/listbox.tsx";
import {
  namesOf,
  PickerTabs,
  type Section,
  section,
  sectionsFound,
  unloaded,
  unloadedGroups,
  useTyped,
} from "./choices.tsx";
import {
  COLUMN_PROPERTIES,
  type CohortDef,
  ELEMENT_PROPERTIES,
  type GroupTypeDef,
  type PropertyDef,
  SESSION_PROPERTIES,
} from "./definition.ts";
import {
  joined,
  useCohorts,
  useGroupTypeList,
  useMoreProperties,
  useProperties,
  usePropertiesOf,
} from "./definitions.ts";
import { cut } from "./seen.ts";
import type { PickedProperty } from "./types.ts";

type Type = PickedProperty["type"];

interface PropertySearch {
  projectId: number;
  value: PickedProperty | null;
  types?: readonly Type[];
  events?: readonly string[];
  isNumeric?: boolean;
  isOpenAtFirst?: boolean;
}

const SQL = "sql";
const NO_EVENTS: readonly string[] = [];

/** What a list of properties of all owners shows: the inside of `SearchList` and `Picker`. */
export function usePropertySearch(wish: PropertySearch) {
  const { projectId, value, types, events = NO_EVENTS, isNumeric = false, isOpenAtFirst = false } = wish;
  const { typed, text, setTyped } = useTyped(isOpenAtFirst);
  const [tab, setTab] = useState("all");
  const allows = (type: Type) => types === undefined || types.includes(type);
  const known = useKnown(projectId, allows, text, events);
  const lists = listsOf(known, allows, isNumeric);
  const shown = tab === "all" ? lists : lists.filter(({ name }) => name === tab);
  const isSql = tab === SQL;
  const found = useMemo(() => {
    if (typed === null) return [];
    return isSql
      ? sqlOption(typed)
      : sectionsFound(
          shown.map((list) => list.section),
          typed,
        );
  }, [typed, ...known.parts, tab, isNumeric]);
  const groups = found.map((group) => ({
    ...group,
    options: group.options.map((option) => ({ ...option, isChosen: value !== null && same(option.value, value) })),
  }));
  const unseen = tab === "all" || tab === "event" || tab === "person" ? typedProperty(text, lists, tab, allows) : [];
  const tabs = [
    { name: "all", label: "All" },
    ...lists.map(({ name, short }) => ({ name, label: short })),
    ...(allows("hogql") ? [{ name: SQL, label: "SQL" }] : []),
  ];
  return {
    text,
    onText: setTyped,
    onClose: () => {
      setTyped(null);
      setTab("all");
    },
    groups: isSql ? groups : [...groups, ...unseen],
    isLoading: known.isLoading,
    placeholder: isSql ? "An SQL expression, such as toHour(timestamp)" : "Find a property",
    head: tabs.length > 2 && <PickerTabs label="Whose properties" tabs={tabs} value={tab} onChange={setTab} />,
    foot: unloaded(projectId, known.lists) ?? unloadedGroups(projectId, known.types),
    nothing: isSql ? "Type an expression over events." : known.error,
  };
}

function useKnown(projectId: number, allows: (type: Type) => boolean, text: string, events: readonly string[]) {
  const event = useProperties(projectId, allows("event") ? "event" : null);
  const person = useProperties(projectId, allows("person") ? "person" : null);
  const cohorts = useCohorts(allows("cohort") ? projectId : null);
  const types = useGroupTypeList(allows("group") ? projectId : null);
  // There are five types of groups at most.
  const groups = [0, 1, 2, 3, 4].map((index) => {
    const type = types.data?.find((one) => one.index === index);
    return { type, known: useProperties(projectId, type === undefined ? null : "group", index) };
  });
  const moreEvent = useMoreProperties(projectId, "event", text, event.data?.isComplete === false);
  const morePerson = useMoreProperties(projectId, "person", text, person.data?.isComplete === false);
  const seen = usePropertiesOf(projectId, allows("event") ? events : NO_EVENTS);
  const ofEvents = useMemo(
    () => firstOf(joined(event.data?.items ?? [], moreEvent.data), seen),
    [event.data, moreEvent.data, seen],
  );
  const ofPersons = useMemo(() => joined(person.data?.items ?? [], morePerson.data), [person.data, morePerson.data]);
  const isFirst = (known: { isLoading: boolean; data: unknown }) => known.isLoading && known.data === undefined;
  const hasFailed = event.error !== undefined && event.data === undefined;
  return {
    ofEvents,
    ofPersons,
    ofGroups: groups.flatMap(({ type, known }) =>
      type === undefined ? [] : [{ type, items: known.data?.items ?? [] }],
    ),
    cohorts: cohorts.data?.items ?? [],
    parts: [ofEvents, ofPersons, cohorts.data, types.data, ...groups.map(({ known }) => known.data)],
    isLoading: isFirst(event) || isFirst(person) || moreEvent.isLoading || morePerson.isLoading,
    types,
    lists: [event, person, cohorts, ...groups.map(({ known }) => known)],
    error: hasFailed ? "The properties cannot be loaded now." : undefined,
  };
}

/** Properties that the chosen events were seen with come before the others. */
function firstOf(items: readonly PropertyDef[], seen: ReadonlySet<string> | null): readonly PropertyDef[] {
  if (seen === null) return items;
  const weighed = items.map((item) => (seen.has(item.key) ? { ...item, weight: (item.weight ?? 0) + 10 } : item));
  return weighed.sort((a, b) => (b.weight ?? 0) - (a.weight ?? 0));
}

interface List {
  name: string;
  short: string;
  section: Section<PickedProperty>;
}

function listsOf(known: ReturnType<typeof useKnown>, allows: (type: Type) => boolean, isNumeric: boolean): List[] {
  const fits = ({ valueType }: PropertyDef) =>
    !isNumeric || valueType === "Numeric" || valueType === "Duration" || valueType === null;
  const of = (name: string, short: string, label: string, items: readonly PropertyDef[]): List => ({
    name,
    short,
    section: section(label, isNumeric ? items.filter(fits) : items, (item: PropertyDef) => {
      const { type, key, groupTypeIndex, valueType } = item;
      const ofGroup = type === "group" && { group_type_index: groupTypeIndex };
      const value: PickedProperty = { type, key, valueType, ...ofGroup };
      return { key: `${name}:${key}`, value, ...namesOf(item) };
    }),
  });
  const lists = [
    allows("event") && of("event", "Event", "Event properties", known.ofEvents),
    allows("person") && of("person", "Person", "Person properties", known.ofPersons),
    ...known.ofGroups.map(({ type, items }) => of(`group${type.index}`, groupName(type), groupName(type), items)),
    allows("session") && of("session", "Session", "Session properties", SESSION_PROPERTIES),
    allows("cohort") && known.cohorts.length > 0 && cohortList(known.cohorts),
    allows("element") && of("element", "Element", "Clicked element", ELEMENT_PROPERTIES),
    allows("event_metadata") && of("column", "Column", "Columns of events", COLUMN_PROPERTIES),
  ];
  return lists.filter((list) => list !== false).filter(({ section }) => section.items.length > 0);
}

/** "organization" as a heading. */
const groupName = ({ name }: GroupTypeDef): string => cut(name.charAt(0).toUpperCase() + name.slice(1));

function cohortList(cohorts: readonly CohortDef[]): List {
  return {
    name: "cohort",
    short: "Cohort",
    section: section("Cohorts", cohorts, ({ id, label, count }: CohortDef) => {
      const value: PickedProperty = { type: "cohort", key: label, value: id };
      const hint = count === null ? undefined : formatShort(count);
      return { key: `cohort:${id}`, value, label: cut(label), hint, icon: "people" as const };
    }),
  };
}

function sqlOption(text: string): OptionGroup<PickedProperty>[] {
  const expression = text.trim();
  if (expression === "") return [];
  const value: PickedProperty = { type: "hogql", key: expression };
  return [{ label: null, options: [{ key: "sql", value, label: cut(expression), note: "SQL", icon: "code" }] }];
}

/** A property may be asked for before it has come. */
function typedProperty(text: string, lists: readonly List[], tab: string, allows: (type: Type) => boolean) {
  const key = text.trim();
  if (key === "") return [];
  const isKnown = lists.some(({ section }) => section.items.some((item) => item.key === key));
  const types = (["event", "person"] as const).filter((type) => allows(type) && (tab === "all" || tab === type));
  if (isKnown || types.length === 0) return [];
  const options = types.map((type) => ({
    key: `t:${type}`,
    value: { type, key },
    label: `“${cut(key)}”`,
    note: type === "event" ? "an event property of this name" : "a person property of this name",
  }));
  return [{ label: "Another name", options }];
}

function same(a: PickedProperty, b: PickedProperty): boolean {
  if (a.type !== b.type) return false;
  if (a.type === "cohort") return a.value === b.value;
  return a.key === b.key && a.group_type_index === b.group_type_index;
}
