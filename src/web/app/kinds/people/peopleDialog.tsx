import type { Drill } from "../kind.ts";

interface PeopleDialogProps {
  projectId: number;
  drill: Drill;
  onClose(): void;
}

/** The people behind a number, all of them, as a list with search. */
export function PeopleDialog(_props: PeopleDialogProps) {
  return null;
}
