"""What the office formats share: the archive under limits, styles, numbering, drawings, number formats."""
