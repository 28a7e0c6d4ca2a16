import { invalidate, useData } from "../../api/cache.ts";
import { type Answer, call } from "../../api/client.ts";
import { cut } from "../../question/seen.ts";
import { isAdmin } from "../../session/rights.ts";
import { Segments, Select } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { deedLabel, kindLabel } from "../parts/activity/words.ts";
import { type Shown, SYSTEM, TIMES } from "./shown.ts";

type Choices = Answer<"GET /api/environments/{project_id}/advanced_activity_logs/available_filters/">["static_filters"];

interface FiltersProps {
  projectId: number;
  shown: Shown;
  onChange(part: Partial<Shown>): void;
}

/** What the log is narrowed by: only what there is in it can be chosen. */
export function Filters({ projectId, shown, onChange }: FiltersProps) {
  const { isAll, user, scope, activity, time, from, to } = shown;
  const key = `activity/choices/${isAll ? "all" : projectId}`;
  const { data, error } = useData(key, () => loadChoices(isAll ? null : projectId));
  const choices = data ?? NOTHING;
  return (
    <search class="activity-filters">
      {isAdmin() && (
        <Segments
          label="Whose activity"
          value={isAll ? "all" : "project"}
          choices={[
            { value: "project", label: "This project" },
            { value: "all", label: "Everything" },
          ]}
          onChange={(next) => onChange({ isAll: next === "all", user: "", scope: "", activity: "" })}
        />
      )}
      <Select
        label="Person"
        value={user}
        choices={[
          { value: "", label: "Everyone" },
          ...choices.users.map(({ value, label }) => ({ value, label: cut(label) })),
          { value: SYSTEM, label: "Weir itself" },
        ]}
        onChange={(next) => onChange({ user: next })}
      />
      <Select
        label="Kind"
        value={scope}
        choices={[
          { value: "", label: "All kinds" },
          ...choices.scopes.map(({ value }) => ({ value, label: firstUpper(kindLabel(value)) })),
        ]}
        onChange={(next) => onChange({ scope: next })}
      />
      <Select
        label="What was done"
        value={activity}
        choices={[
          { value: "", label: "Anything done" },
          ...choices.activities.map(({ value }) => ({ value, label: deedLabel(value) })),
        ]}
        onChange={(next) => onChange({ activity: next })}
      />
      <Select label="Time" value={time} choices={TIMES} onChange={(next) => onChange({ time: next })} />
      {time === "dates" && (
        <span class="activity-dates">
          <input
            class="input"
            type="date"
            aria-label="From"
            value={from}
            max={to || undefined}
            onInput={(event) => onChange({ from: event.currentTarget.value })}
          />
          <input
            class="input"
            type="date"
            aria-label="To"
            value={to}
            min={from || undefined}
            onInput={(event) => onChange({ to: event.currentTarget.value })}
          />
        </span>
      )}
      {error !== undefined && (
        <Problem error={error} missing="The choices cannot be loaded." onRetry={() => invalidate(key)} />
      )}
    </search>
  );
}

const NOTHING: Choices = { users: [], scopes: [], activities: [], clients: [] };

async function loadChoices(projectId: number | null): Promise<Choices> {
  const answer = await (projectId === null
    ? call("GET /api/organizations/{id}/advanced_activity_logs/available_filters/", { params: { id: "@current" } })
    : call("GET /api/environments/{project_id}/advanced_activity_logs/available_filters/", {
        params: { project_id: String(projectId) },
      }));
  return answer.static_filters;
}

const firstUpper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
