import { type Rankable, ranked } from "./rank.ts";

/** What the palette has, in this order where all fit alike. */
export const SECTIONS = [
  "Do",
  "Pages",
  "Dashboards",
  "Insights",
  "Persons",
  "Groups",
  "Cohorts",
  "Actions",
  "Events",
  "Properties",
  "Projects",
  "Settings",
] as const;
export type Section = (typeof SECTIONS)[number];

/** Of one section, so that the others stay in sight. */
const MOST = 8;
/** Of each section where nothing was typed. */
const AT_FIRST: readonly (readonly [Section, most: number])[] = [
  ["Do", 2],
  ["Dashboards", 5],
  ["Insights", 5],
  ["Pages", 20],
  ["Projects", 5],
];

interface Sectioned extends Rankable {
  section: Section;
}
interface Group<T> {
  section: Section;
  targets: readonly T[];
}

/**
 * What the palette shows for a text: the best of each section, the section with the best of all first. Where nothing was typed: what
 * is done most, what was changed last, and the pages.
 */
export function groupsOf<T extends Sectioned>(targets: readonly T[], typed: string): readonly Group<T>[] {
  const groupOf = (of: readonly T[], section: Section, most: number): Group<T> => {
    return { section, targets: of.filter((one) => one.section === section).slice(0, most) };
  };
  if (typed.trim() === "") return AT_FIRST.map(([section, most]) => groupOf(targets, section, most));
  const found = ranked(unique(targets), typed);
  const items = found.map(({ item }) => item);
  const best = (section: Section) => found.find(({ item }) => item.section === section)?.score ?? 0;
  const order = SECTIONS.filter((section) => best(section) > 0).sort((a, b) => best(b) - best(a));
  return order.map((section) => groupOf(items, section, MOST));
}

/** What is in a list here and was found by the server, too, is shown once. */
function unique<T extends Sectioned>(targets: readonly T[]): readonly T[] {
  return [...new Map(targets.map((one) => [`${one.section} ${one.key}`, one])).values()];
}
