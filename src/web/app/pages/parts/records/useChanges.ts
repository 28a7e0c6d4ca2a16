import { useRef, useState } from "preact/hooks";
import { type DraftPlace, keepDraft, readDraft } from "./draft.ts";

interface Changes<Values, Body> {
  /** The record as the form shows it: as it is saved, with what was changed here. */
  values: Values;
  /** What a save sends: the members of the body that were changed. What others save meanwhile stays. */
  changed: Partial<Body>;
  change(part: Partial<Values>): void;
  /** Forgets what was changed, as far as it is still as in these values: they were saved, or are taken back. */
  settle(values: Values): void;
}

interface Form<Values, Body> {
  saved: Values;
  /** The record as the API takes it. */
  bodyOf(values: Values): Body;
  /** Where changes are kept until they are saved; null: nobody may change anything. */
  place: DraftPlace | null;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The changes of a form. They outlive the page: the browser keeps them until they are saved or taken back. */
export function useChanges<Values extends object, Body extends object>({
  saved,
  bodyOf,
  place,
}: Form<Values, Body>): Changes<Values, Body> {
  const [changes, setChanges] = useState(() => (place === null ? {} : readDraft(place)) as Partial<Values>);
  const latest = useRef(changes);
  const put = (next: Partial<Values>, isLeft: (name: keyof Values) => boolean) => {
    const left = Object.entries(next).filter(([name]) => isLeft(name as keyof Values));
    latest.current = Object.fromEntries(left) as Partial<Values>;
    setChanges(latest.current);
    if (place !== null) keepDraft(place, latest.current);
  };
  const values = { ...saved, ...changes };
  const before = bodyOf(saved) as Partial<Body>;
  const changed = Object.entries(bodyOf(values)).filter(([name, value]) => !isSame(value, before[name as keyof Body]));
  return {
    values,
    changed: Object.fromEntries(changed) as Partial<Body>,
    change: (part) => {
      const next = { ...latest.current, ...part };
      put(next, (name) => !isSame(next[name], saved[name]));
    },
    settle: (sent) => put(latest.current, (name) => latest.current[name] !== sent[name]),
  };
}
