// What the theme leaves out for readers without a mouse: a name for the search, and keys for what scrolls sideways.

const SCROLLED = ".md-typeset__scrollwrap, .wide-figure, .cell-output";

function mend() {
  document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");
  for (const box of document.querySelectorAll(SCROLLED)) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

addEventListener("load", () => setTimeout(mend)); // the theme wraps tables first
addEventListener("resize", mend);
