import { useState } from "preact/hooks";
import { invalidate, useData } from "../../api/cache.ts";
import { call } from "../../api/client.ts";
import { boardsKey } from "../../api/keys.ts";
import { boardName } from "../../format/name.ts";
import { changeEnvironment, type Environment } from "../../session/environment.ts";
import type { Option } from "../../ui/listbox.tsx";
import { Problem } from "../../ui/notice.tsx";
import { Picker } from "../../ui/picker.tsx";
import { told } from "../../ui/task.ts";
import { toast } from "../../ui/toast.tsx";

const SHOWN = 100;
const RECENT: Option<number | null> = { key: "recent", value: null, label: "What was changed last" };

/** Chooses what Home shows: a dashboard, or what was changed last. */
export function HomeForm({ environment }: { environment: Environment }) {
  const params = { project_id: String(environment.id) };
  const [text, setText] = useState("");
  const search = text.trim();
  const key = `${boardsKey(environment.id)}found/${search}`;
  const { data, error, isLoading } = useData(key, () =>
    call("GET /api/environments/{project_id}/dashboards/", {
      params,
      query: { limit: SHOWN, search: search || undefined },
    }),
  );
  const chosen = environment.primary_dashboard;
  const options = (data?.results ?? []).map(({ id, name }) => ({
    key: String(id),
    value: id,
    label: boardName(name),
    icon: "dashboard" as const,
  }));
  const choose = ({ value }: Option<number | null>) =>
    told(async () => {
      await changeEnvironment(environment.id, { primary_dashboard: value });
      toast("Saved");
    });
  const marked = [...(search === "" ? [RECENT] : []), ...options].map((one) => ({
    ...one,
    isChosen: one.value === chosen,
  }));
  const name = chosen === null ? RECENT.label : (options.find(({ value }) => value === chosen)?.label ?? "A dashboard");
  return (
    <div class="field">
      <span class="field-name">Home shows</span>
      <Picker
        label="Find a dashboard"
        text={text}
        onText={setText}
        groups={[{ label: null, options: marked }]}
        isLoading={isLoading}
        onPick={choose}
        foot={
          error !== undefined && (
            <Problem error={error} missing="The dashboards cannot be loaded." onRetry={() => invalidate(key)} />
          )
        }
      >
        <span class="unseen">Home shows: </span>
        {name}
      </Picker>
    </div>
  );
}
