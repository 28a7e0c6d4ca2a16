import { useState } from "preact/hooks";
import { invalidate, useData } from "../../api/cache.ts";
import { cutPath } from "../../format/name.ts";
import { formatCount } from "../../format/number.ts";
import { cut } from "../../question/seen.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox } from "../../ui/field.tsx";
import { Empty, Problem, Skeleton } from "../../ui/notice.tsx";
import type { Click } from "./clicks.ts";
import { loadClicks } from "./load.ts";
import type { Step } from "./steps.ts";

interface PickClickProps {
  projectId: number;
  onPick(part: Partial<Step>): void;
  onClose(): void;
}

const FRESH_MS = 60_000;
const PATH_MAX = 60;

/** Elements that were clicked lately: one is picked, and then by what it is known again. */
export function PickClick({ projectId, onPick, onClose }: PickClickProps) {
  const key = `clicks/${projectId}`;
  const { data, error } = useData(key, () => loadClicks(projectId), FRESH_MS);
  const [search, setSearch] = useState("");
  const [picked, setPicked] = useState<Click | null>(null);
  const found = (data ?? []).filter((click) => matches(click, search));
  if (picked !== null) {
    return (
      <ByWhat
        click={picked}
        onBack={() => setPicked(null)}
        onPick={(part) => {
          onPick(part);
          onClose();
        }}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title="What was clicked" look="side" onClose={onClose}>
      <div class="stack">
        <input
          class="input"
          type="search"
          aria-label="Search what was clicked"
          placeholder="Text, link, selector or page"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        {error !== undefined && <Problem error={error} onRetry={() => invalidate(key)} />}
        {data === undefined && error === undefined && <Skeleton heightPx={240} />}
        {data !== undefined && found.length === 0 && (
          <Empty title={data.length === 0 ? "No clicks in the last 7 days" : "Nothing is found"}>
            {data.length === 0 && <p>They come with the autocapture of posthog-js.</p>}
          </Empty>
        )}
        <ul class="click-list">
          {found.map((click) => (
            <li key={click.key}>
              <button type="button" class="click" onClick={() => setPicked(click)}>
                <span class="click-name" dir="auto">
                  {cut(click.text ?? click.href ?? click.selector ?? "an element")}
                </span>
                <span class="pale">{formatCount(click.count, "click")}</span>
                <span class="click-more mono" dir="auto" title={click.selector ?? undefined}>
                  {cut(click.selector ?? click.tag ?? "")}
                </span>
                <span class="click-more pale" dir="auto" title={click.url === null ? undefined : cut(click.url)}>
                  {click.url !== null && cutPath(cut(click.url), PATH_MAX)}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

function matches({ text, href, selector, url }: Click, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  return [text, href, selector, url].some((one) => one?.toLowerCase().includes(wanted)) || wanted === "";
}

interface ByWhatProps {
  click: Click;
  onBack(): void;
  onPick(part: Partial<Step>): void;
  onClose(): void;
}

function ByWhat({ click, onBack, onPick, onClose }: ByWhatProps) {
  const { text, href, selector } = click;
  const [isBy, setBy] = useState({
    text: text !== null,
    selector: text === null && selector !== null,
    href: text === null && selector === null,
  });
  const part: Partial<Step> = {
    ...(isBy.text && { text, text_matching: "exact" as const }),
    ...(isBy.href && { href, href_matching: "exact" as const }),
    ...(isBy.selector && { selector }),
  };
  const choices = [
    { name: "text", label: "Text", value: text },
    { name: "href", label: "Link", value: href },
    { name: "selector", label: "Selector", value: selector },
  ] as const;
  return (
    <Dialog
      title="Know it again by"
      look="side"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onBack}>Back</Button>
          <Button look="primary" disabled={Object.keys(part).length === 0} onClick={() => onPick(part)}>
            Use these
          </Button>
        </>
      }
    >
      <ul class="click-list">
        {choices.map(
          ({ name, label, value }) =>
            value !== null && (
              <li key={name} class="click-choice">
                <Checkbox label={label} isOn={isBy[name]} onChange={(isOn) => setBy({ ...isBy, [name]: isOn })} />
                <span class={name === "text" ? "click-more" : "click-more mono"} dir="auto" title={cut(value)}>
                  {cut(value)}
                </span>
              </li>
            ),
        )}
      </ul>
    </Dialog>
  );
}
