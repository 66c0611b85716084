package workdir

import "golang.org/x/sys/windows"

const errAddressInUse = windows.WSAEADDRINUSE
