import { useState } from "preact/hooks";
import { Checkbox, Segments, Select } from "../../ui/field.tsx";
import { CommandKey } from "../parts/form/commandKey.tsx";
import { Code } from "../parts/start/code.tsx";
import { commandOf, IMPORT_SCOPES, SOURCES } from "./commands.ts";

/** The command that begins an import, filled in, and a key for it. */
export function NewImport({ projectId }: { projectId: number }) {
  const [sourceKey, setSource] = useState(SOURCES[0]!.key);
  const [wayKey, setWay] = useState("");
  const [isDryRun, setDryRun] = useState(false);
  const source = SOURCES.find((one) => one.key === sourceKey) ?? SOURCES[0]!;
  const way = source.ways.find((one) => one.key === wayKey) ?? source.ways[0]!;
  const command = commandOf({ source, way, host: window.location.origin, projectId, isDryRun });
  return (
    <div class="stack">
      <div class="row">
        <Select
          label="From"
          isLabelled
          value={source.key}
          choices={SOURCES.map(({ key: value, label }) => ({ value, label }))}
          onChange={(next) => setSource(next)}
        />
        {source.ways.length > 1 && (
          <Segments
            label="Its history is in"
            value={way.key}
            choices={source.ways.map(({ key: value, label }) => ({ value, label }))}
            onChange={(next) => setWay(next)}
          />
        )}
      </div>
      <Checkbox label="Only look: say what would come, and send nothing" isOn={isDryRun} onChange={setDryRun} />
      <Code text={command} />
      <p class="quiet">
        On any machine that has Weir's folder, <code>weir</code> is <code>scripts/weir</code>. On the machine of Weir
        itself it needs no key. Once it runs it is in the list above.
      </p>
      {!isDryRun && <CommandKey projectId={projectId} command="weir import" scopes={IMPORT_SCOPES} />}
    </div>
  );
}
