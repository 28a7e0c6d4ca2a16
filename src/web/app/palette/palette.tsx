import { useMemo } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useEnvironment, useMayMake } from "../session/environment.ts";
import { may } from "../session/rights.ts";
import type { OptionGroup } from "../ui/listbox.tsx";
import { SearchList } from "../ui/searchList.tsx";
import { groupsOf } from "./groups.ts";
import { deeds, pages, projects, settings } from "./places.ts";
import { personByUuid } from "./records.ts";
import type { Target } from "./target.ts";
import { useFound } from "./useFound.ts";
import { useRecords } from "./useRecords.ts";

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

export interface PaletteProps {
  projectId: number;
  text: string;
  onText(text: string): void;
  onClose(): void;
  openHelp(): void;
}

/** Leads to everything that there is, and does what can be done from anywhere, by a part of its name. */
export function Palette({ projectId, text, onText, onClose, openHelp }: PaletteProps) {
  const { route } = useLocation();
  const isTyped = text.trim() !== "";
  const records = useRecords(projectId, isTyped);
  const found = useFound(projectId, text, records.incomplete);
  const mayMake = useMayMake(projectId);
  const { data } = useEnvironment(projectId);
  const places = useMemo(
    () => [
      ...deeds(projectId, { mayMake, openHelp }),
      ...pages(projectId),
      ...settings(projectId),
      ...projects(projectId),
    ],
    [projectId, data],
  );
  const groups = useMemo(() => {
    const uuid =
      UUID.test(text.trim()) && may("person:read") ? [personByUuid(projectId, text.trim().toLowerCase())] : [];
    return groupsOf([...places, ...uuid, ...records.targets, ...found.targets], text).map(groupOf);
  }, [places, records.targets, found.targets, text]);
  const pick = ({ to }: Target) => {
    onClose();
    if (typeof to === "string") go(to, route);
    else to();
  };
  return (
    <SearchList
      label="Search pages, insights, persons and everything else"
      placeholder="Search or do anything"
      text={text}
      onText={onText}
      groups={groups}
      isLoading={records.isLoading || found.isLoading}
      onPick={({ value }) => pick(value)}
    />
  );
}

const groupOf = ({ section, targets }: ReturnType<typeof groupsOf<Target>>[number]): OptionGroup<Target> => ({
  label: section,
  options: targets.map((value) => {
    const { key, label, note, hint, icon } = value;
    return { key: `${section} ${key}`, value, label, note, hint, icon };
  }),
});

/** Goes to an address, and to the part of a page that is open already; a page that comes goes to its part by itself. */
function go(to: string, route: (address: string) => void): void {
  route(to);
  const { hash } = new URL(to, window.location.href);
  if (hash !== "") document.getElementById(hash.slice(1))?.scrollIntoView();
}
