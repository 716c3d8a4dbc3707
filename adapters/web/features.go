package web

// rooms lists what all files of pages bring. A new file gets one entry here.
func (p *Pages) rooms() []room {
	rooms := []room{
		{"", []feature{p.frontPages(), p.languagePages(), p.wellKnownFiles(), p.staticFiles(), p.textPages()}},
		{Account, []feature{
			p.invitationPages(), p.approvalPages(), p.externalSignInPages(), p.unsubscribePages(), p.undoPages(), p.mailboxPages(),
		}},
	}
	if p.Identity != nil {
		rooms = append(rooms, room{Account, []feature{
			p.signInPages(), p.secondFactorPages(), p.mailSignInPages(), p.signUpPages(), p.profilePages(), p.applicationPages(), p.endSessionPages(),
			p.emailChangePages(), p.exportPages(), p.leavePages(), p.proofPages(), p.securityPages(), p.passkeyPages(),
			p.peoplePages(), p.personPages(), p.auditLogPages(), p.workPages(), p.clientPages(),
		}})
	}
	if p.Market != nil {
		rooms = append(rooms, p.marketRooms()...)
	}
	return rooms
}

// marketRooms are the rooms of the market, as in application/market/rooms.
func (p *Pages) marketRooms() []room {
	return []room{
		{"", []feature{p.mePages()}},
		{"selling", []feature{p.listingPages(), p.minePages(), p.importPages(), p.photoPages(), p.expiryPages()}},
		{"finding", []feature{
			p.bookPages(), p.requestPages(), p.coursePages(), p.usedBookPages(), p.courseListPages(), p.searchPages(),
		}},
		{"buying", []feature{
			p.cartPages(), p.orderPages(), p.orderActionPages(), p.queuePages(), p.transactionPages(),
			p.deskPages(), p.placePages(), p.meetingPages(), p.ratingPages(), p.offerPages(),
		}},
		{"talking", []feature{p.conversationPages(), p.notificationPages()}},
		{"guarding", []feature{p.dashboardPages(), p.bookAdminPages(), p.reportPages(), p.reportCasePages()}},
	}
}

// SlowPaths returns the paths without a request timeout.
func SlowPaths() (paths []string) {
	for _, room := range (&Pages{Services: Services{Market: &Market{}}}).marketRooms() {
		for _, f := range room.features {
			for _, r := range f.routes {
				if r.Slow {
					paths = append(paths, r.Path)
				}
			}
		}
	}
	return paths
}
