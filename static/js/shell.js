// shell
