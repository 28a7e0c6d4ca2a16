import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps extends Omit<JSX.IntrinsicElements["button"], "icon"> {
  /** `primary`: the one thing that a page is for. `quiet`: without a frame. */
  look?: "plain" | "primary" | "quiet" | "danger";
  icon?: IconName;
  /** Something goes on because of it: it cannot be pressed again. */
  isBusy?: boolean;
  children?: ComponentChildren;
}

/** A button with words. While it is busy it shows that, and cannot be pressed. */
export function Button({ look = "plain", icon, isBusy = false, children, class: extra, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`button ${look} ${extra ?? ""}`}
      disabled={rest.disabled || isBusy}
      aria-busy={isBusy || undefined}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A button that shows an icon alone; `label` says what it does. */
export function IconButton({
  label,
  ...rest
}: Omit<ButtonProps, "children" | "label"> & { label: string; icon: IconName }) {
  return <Button look="quiet" {...rest} class={`icon-only ${rest.class ?? ""}`} aria-label={label} title={label} />;
}
