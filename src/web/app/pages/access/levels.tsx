import { useState } from "preact/hooks";
import { useMembers } from "../../session/members.ts";
import { may } from "../../session/rights.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { told, useTask } from "../../ui/task.ts";
import { useRoles } from "../parts/access/useRoles.ts";
import { addable, choicesOf, type GridRow, gridRows, THING_NAMES, THINGS, type Thing, UNSET } from "./grid.ts";
import { reloadLevels, setLevel, useLevels } from "./useLevels.ts";

/** Levels of the project and of whole kinds, by members and roles. Each choice is saved at once. */
export function Levels({ projectId }: { projectId: number }) {
  const known = useLevels(projectId);
  const members = useMembers();
  const roles = useRoles();
  const task = useTask();
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set());
  const error = known.error ?? members.error ?? roles.error;
  const isThere = known.data !== undefined && members.data !== undefined && roles.data !== undefined;
  const people = { members: members.data?.results ?? [], roles: roles.data?.results ?? [] };
  const rows = isThere ? gridRows(known.data!.controls, people, added) : undefined;
  const mayChange = known.data?.mayChange === true && may("access_control:write");
  const change = (act: () => Promise<unknown>) =>
    void task.run(() =>
      told(async () => {
        try {
          await act();
        } finally {
          reloadLevels(projectId);
        }
      }),
    );
  const set = ({ subject }: GridRow, thing: Thing, level: string) =>
    change(() => setLevel(projectId, thing, subject, level));
  const remove = (row: GridRow) => {
    setAdded(new Set([...added].filter((key) => key !== row.key)));
    change(async () => {
      for (const thing of THINGS) {
        if (row.levels[thing] !== UNSET) await setLevel(projectId, thing, row.subject, UNSET);
      }
    });
  };
  return (
    <div class="stack" aria-busy={task.isBusy}>
      {error !== undefined && <Problem error={error} onRetry={() => reloadLevels(projectId)} />}
      <Table
        label="Levels"
        columns={columnsWith({ set: mayChange ? set : undefined, remove, isBusy: task.isBusy })}
        rows={rows}
        keyOf={({ key }) => key}
      />
      {mayChange && rows !== undefined && (
        <p>
          <Select
            label="Somebody else"
            value=""
            choices={[{ value: "", label: "Add a member or a role…" }, ...addable(rows, people)]}
            onChange={(key) => key !== "" && setAdded(new Set([...added, key]))}
          />
        </p>
      )}
      <p class="quiet">
        A member has the level beside its name, and those of its roles; the highest counts. For insights, dashboards,
        cohorts and actions the level of all members is one of them: to close these to some, lower it for all first.
        Admins, owners and admins of the project can do everything in it, and everyone with what it made.{" "}
        {!mayChange && known.data !== undefined && "Admins change levels."}
      </p>
    </div>
  );
}

interface Acts {
  /** Absent: levels can only be read. */
  set?(row: GridRow, thing: Thing, level: string): void;
  remove(row: GridRow): void;
  isBusy: boolean;
}

/** A level can be read on a phone, too; the table scrolls there. */
const CHOICE_PX = 136;

function columnsWith({ set, remove, isBusy }: Acts): readonly Column<GridRow>[] {
  const things = THINGS.map((thing): Column<GridRow> => {
    const cell = (row: GridRow) => <Level row={row} thing={thing} onSet={set} />;
    return { key: thing, label: THING_NAMES[thing], widthPx: CHOICE_PX, cell };
  });
  const name: Column<GridRow> = {
    key: "name",
    label: "Members and roles",
    widthPx: 160,
    cell: ({ label, title }) => (
      <span class="member-text long" dir="auto" title={title}>
        {label}
      </span>
    ),
  };
  const actions: Column<GridRow> = {
    key: "remove",
    label: "Actions",
    isLabelHidden: true,
    isNumber: true,
    cell: (row) =>
      row.key !== "all" && (
        <Button look="quiet" disabled={isBusy} onClick={() => remove(row)}>
          Remove
          <span class="unseen"> the levels of {row.label}</span>
        </Button>
      ),
  };
  return set === undefined ? [name, ...things] : [name, ...things, actions];
}

function Level({ row, thing, onSet }: { row: GridRow; thing: Thing; onSet: Acts["set"] }) {
  const choices = choicesOf(thing, row.key === "all");
  const level = row.levels[thing];
  if (onSet === undefined) return <>{choices.find(({ value }) => value === level)?.label}</>;
  return (
    <Select
      label={`${THING_NAMES[thing]}, ${row.label}`}
      value={level}
      choices={choices}
      onChange={(next) => onSet(row, thing, next)}
    />
  );
}
