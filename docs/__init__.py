"""The documentation site: ``pages`` written by hand, and pages that these modules make of what is in the checkout."""
